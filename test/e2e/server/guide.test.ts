/** The examples of the guide, run as a reader runs them: against the demo and its product. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { missingProgram } from '../../support/processes/missing-program';
import { describeWhere } from '../../support/processes/needs';
import { ROOT, runToEnd } from '../../support/processes/program';
import { RunningDemo } from '../../support/processes/running-demo';

const GUIDE = readFileSync(join(ROOT, 'server/GUIDE.md'), 'utf8');
/** In it, the example finds the client as an application does. */
const CACHE = join(ROOT, '.cache');
const COMPILER = 'node_modules/@typescript/native/bin/tsc';
const COMPILED_AS = [
  '--ignoreConfig',
  '--strict',
  '--skipLibCheck',
  '--module',
  'nodenext',
  '--target',
  'es2022',
  '--types',
  'node',
];

let demo: RunningDemo;
let folder: string;
let env: Record<string, string>;

/** The blocks of a language, in their order, without the one that tells the shell its values. */
function exampleIn(language: string): string {
  const blocks = [...GUIDE.matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter(([, tag]) => tag === language);
  return blocks.flatMap(([, , code = '']) => (code.startsWith('export SERVER=') ? [] : [code])).join('\n');
}

describeWhere(missingProgram('curl', 'curl') ?? missingProgram('python3', 'python3'))('the guide', () => {
  beforeAll(async () => {
    demo = await RunningDemo.start();
    mkdirSync(CACHE, { recursive: true });
    folder = mkdtempSync(join(CACHE, 'guide-'));
    env = { SERVER: demo.origin, CLIENT_KEY: demo.facts.clientKey, PRODUCT: demo.facts.productLogin };
  }, 120_000);
  afterAll(async () => {
    await demo?.stop();
    if (folder) rmSync(folder, { recursive: true });
  });
  beforeEach(() => demo.settle());

  test('names the values that its examples need, and the product of the demo', () => {
    const named = [...GUIDE.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name]) => name);
    expect(named).toEqual(Object.keys(env));
    expect(GUIDE).toContain(`export PRODUCT=${demo.facts.productLogin}\n`);
  });

  test('curl: logs in, looks, switches output 0, gives an impulse and asks for its outcome', async () => {
    const said = await runToEnd({ name: 'sh', through: ['sh', '-euc'], args: [exampleIn('sh')], env });
    expect(said).toContain('"connected":true');
    expect(said).toContain('"outcome":"executed"');
    expect(said).toMatch(/"products":\[\{"productLogin":"demo-gate".*"commands":\[/);
    expect((await demo.nextEdges(3)).map(({ output, level }) => [output, level])).toEqual([
      [0, 1],
      [2, 1],
      [2, 0],
    ]);
  }, 30_000);

  test('TypeScript: fits the types of the client, gives an impulse and looks at the product', async () => {
    const source = join(folder, 'example.mts');
    writeFileSync(source, exampleIn('ts'));
    await runToEnd({ name: 'tsc', file: COMPILER, args: [...COMPILED_AS, source] });
    const said = await runToEnd({ name: 'example', file: join(folder, 'example.mjs'), args: [], env });
    expect(said).toMatch(/^done, as command [0-9a-f-]{36}$/m);
    expect(said).toContain('connected: true');
    expect((await demo.nextEdges(2)).map(({ output, level }) => [output, level])).toEqual([
      [2, 1],
      [2, 0],
    ]);
  }, 60_000);

  test('Python: switches output 1', async () => {
    const said = await runToEnd({ name: 'python3', through: ['python3', '-c'], args: [exampleIn('python')], env });
    expect(said).toMatch(/^done, as command [0-9a-f-]{36}$/m);
    expect((await demo.nextEdges(1)).map(({ output, level }) => [output, level])).toEqual([[1, 1]]);
  }, 30_000);
});
