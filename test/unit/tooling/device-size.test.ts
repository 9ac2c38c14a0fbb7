/** How much code of ours a device has, with its page and the program that writes its card. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { linesOfCode } from '../../support/tools/lines-of-code';

const ROOT = resolve(__dirname, '../../../..');
const FOLDERS = ['device-agent/src', 'device-agent/page/src', 'hardware/src'];
/** Lower it with whatever goes; raise it only for a feature. */
const MAX_LINES = 28_479;

test('comments and blank lines are no lines of code', () => {
  expect(linesOfCode('/** What it is. */\nconst a = 1; // so\n\n/* and\n so */\nconst b = `\n`;\n')).toBe(3);
});

test('a device has no more code of ours than before', () => {
  const sources = FOLDERS.map((folder) => join(ROOT, folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)))
    .filter((file) => /\.tsx?$/.test(file));
  const lines = sources.reduce((sum, file) => sum + linesOfCode(readFileSync(file, 'utf8'), file), 0);
  process.stdout.write(`a device has ${lines} lines in ${sources.length} files\n`);
  expect(sources.length).toBeGreaterThan(300);
  expect(lines).toBeLessThanOrEqual(MAX_LINES);
});
