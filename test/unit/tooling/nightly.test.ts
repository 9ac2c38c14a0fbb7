/** Whoever ends a nightly run after hours still reads what was played. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const ROOT = join(__dirname, '../../../..');
const NIGHTLY = join(ROOT, 'test/support/tools/run-nightly.mjs');

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('a nightly run that %s ends says what it has played, and plays nothing more', async (signal, exitCode) => {
  const child = spawn(process.execPath, [NIGHTLY, 'simulation', 'hunt'], { stdio: ['ignore', 'pipe', 'ignore'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    if (said === '') child.kill(signal);
    said += chunk;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect(said).toMatch(/^nightly, \d{4}-\d\d-\d\d, .*:\nsimulation +0 min {2}interrupted; /m);
  expect(said).toMatch(/^hunt +not played$/m);
  expect(said).not.toContain('== hunt');
  expect([said.trimEnd().split('\n').at(-1), code]).toEqual(['0 passed, 1 failed', exitCode]);
});
