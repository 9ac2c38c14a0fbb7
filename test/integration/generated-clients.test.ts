import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ROOT } from '../support/processes/program';
import { v1 } from '../support/server/api-client';
import { PROGRAMS } from '../support/server/generated-programs';
import { type LinkedGate, startLinkedGate } from '../support/server/linked-gate';

/** Clients that other people's programs make of server/openapi.json: strict TypeScript takes them, and a server answers them. */
const BIN = join(ROOT, 'node_modules/.bin');
const DOCUMENT = join(ROOT, 'server/openapi.json');
const run = promisify(execFile);

/** In the tree, where the packages are found. */
const CACHE = join(ROOT, '.cache');
mkdirSync(CACHE, { recursive: true });
const folder = mkdtempSync(join(CACHE, 'clients-'));
let linked: LinkedGate;
beforeAll(async () => {
  linked = await startLinkedGate();
  await run(join(BIN, 'openapi-typescript'), [DOCUMENT, '-o', 'schema.ts'], { cwd: folder });
  await run(join(BIN, 'openapi-ts'), ['-i', DOCUMENT, '-o', 'hey', '-c', '@hey-api/client-fetch'], { cwd: folder });
  const compilerOptions = {
    ...{ strict: true, noUncheckedIndexedAccess: true, noEmit: true, types: ['node'] },
    ...{ target: 'es2022', module: 'esnext', moduleResolution: 'bundler', lib: ['es2023', 'dom', 'dom.iterable'] },
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await linked.server.stop();
});

/** What the compiler says of these programs. */
async function compiled(programs: Readonly<Record<string, string>>): Promise<string[]> {
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(folder, `${name}.ts`), text);
  // It exits with an error if it has something to say. Meanwhile the device's link must not stand still.
  const { stdout } = await run(join(BIN, 'tsc'), ['-p', folder, '--pretty', 'false']).catch((error) => error);
  return stdout.split('\n').filter((line: string) => line !== '');
}

test('a switch without one of the codes does not compile', async () => {
  const without = Object.entries(PROGRAMS).map(([name, text]) => [name, text.replace("case 'device-timeout':", '')]);
  const lines = await compiled(Object.fromEntries(without));
  expect(lines.map((line) => line.replace(/^.*?([a-z-]+\.ts)\(\d+,\d+\)/, '$1'))).toEqual(
    ['hey-api.ts', 'openapi-fetch.ts'].map(
      (name) => `${name}: error TS1360: Type '"device-timeout"' does not satisfy the expected type 'never'.`,
    ),
  );
});

test('what applications write compiles', async () => {
  expect(await compiled(PROGRAMS)).toEqual([]);
});

test.each(Object.entries(PROGRAMS))('%s: a server answers the program', async (name, text) => {
  const { server, gate, device } = linked;
  device.states[0] = 0;
  const { clientKey } = await server.newClient();
  const { accessToken } = (await v1(server.url).login(clientKey)).json as { accessToken: string };
  await server.associate(accessToken, gate);
  writeFileSync(join(folder, `${name}.ts`), text);
  const bundle = join(folder, `${name}.mjs`);
  const options = ['--bundle', '--format=esm', '--platform=node', '--log-level=error', `--outfile=${bundle}`];
  await run(join(BIN, 'esbuild'), [join(folder, `${name}.ts`), ...options]);
  const { stdout } = await run(process.execPath, [bundle, server.url, clientKey, gate.productLogin]);
  expect(JSON.parse(stdout)).toEqual({
    set: true,
    toggle: { status: 'OK', commandId: expect.any(String) },
    missing: 'ask the operator',
    mode: 'on-off',
    refreshIn: 600,
  });
  expect(device.states[0]).toBe(0);
});
