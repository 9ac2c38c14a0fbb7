/** How much code of ours is in the process that holds the relays: whoever reads it wants to finish. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { linesOfCode } from '../../support/tools/lines-of-code';

const ROOT = resolve(__dirname, '../../../..');
const OURS = /\/(shared|device-agent)\/dist\/(?!precompiled-validators)/;
/** Lower it with whatever goes; raise it never. */
const MAX_LINES = 4_871;

/** The sources of what a guard with a board on GPIO lines has loaded; what it loads of validators is generated. */
function sourcesOfGuard(): string[] {
  const modules = ['guard/main', 'relay/kinds/gpio'];
  const script = `
    for (const name of ${JSON.stringify(modules)}) require('./device-agent/dist/' + name + '.js');
    console.log(JSON.stringify(Object.keys(require.cache)));`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', script], { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const loaded: string[] = JSON.parse(stdout);
  return loaded
    .filter((file) => OURS.test(file))
    .map((file) => file.replace('/dist/', '/src/').replace(/\.js$/, '.ts'));
}

test('the guard loads no more code of ours than before', () => {
  const sources = sourcesOfGuard();
  const lines = sources.reduce((sum, file) => sum + linesOfCode(readFileSync(file, 'utf8')), 0);
  process.stdout.write(`the guard loads ${lines} lines in ${sources.length} files\n`);
  expect(sources.length).toBeGreaterThan(50);
  expect(lines).toBeLessThanOrEqual(MAX_LINES);
});

test('the guard loads no translation, and of the English words only those of its log', () => {
  const locales = sourcesOfGuard().flatMap((file) => file.split('/locales/')[1] ?? []);
  expect(locales.sort()).toEqual(['en/causes.ts', 'en/guard-faults.ts', 'sentence.ts']);
});
