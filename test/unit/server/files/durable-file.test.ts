import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { nameDurably, tryToWrite, writeDurably } from '@relaygate/server/files/durable-file';

let folder: string;
let half: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rg-durable-'));
  [half, file] = [join(folder, 'half'), join(folder, 'file')];
  writeFileSync(half, 'new');
});
afterEach(() => rmSync(folder, { recursive: true }));

test.each([true, false])('a file gets its name, and the other one goes (replaces: %p)', (replaces) => {
  nameDurably(half, file, { replaces });
  expect(readdirSync(folder)).toEqual(['file']);
  expect(readFileSync(file, 'utf8')).toBe('new');
});

test('a file of this name stays, unless it is to be replaced', () => {
  writeFileSync(file, 'old');
  expect(() => nameDurably(half, file, { replaces: false })).toThrow('EEXIST');
  expect(readFileSync(file, 'utf8')).toBe('old');
  nameDurably(half, file, { replaces: true });
  expect(readFileSync(file, 'utf8')).toBe('new');
});

test('a write that fails leaves nothing beside the file', () => {
  rmSync(half);
  mkdirSync(file);
  expect(() => writeDurably(file, 'new', 0o644)).toThrow('EISDIR');
  expect(readdirSync(folder)).toEqual(['file']);
});

/** Like the user of the server, after root: nothing stops root itself. */
function withoutRights(run: () => void): void {
  if (process.getuid?.() !== 0) return run();
  const nobody = 65_534;
  process.seteuid?.(nobody);
  try {
    run();
  } finally {
    process.seteuid?.(0);
  }
}

test.each<[string, () => void]>([
  ['is written', () => writeDurably(file, 'new', 0o644)],
  ['can be written', () => tryToWrite(file)],
])('a file %s although another user, who was killed, has left its half', (_, write) => {
  rmSync(half);
  writeFileSync(`${file}.half`, 'ne');
  chmodSync(`${file}.half`, 0o444);
  chmodSync(folder, 0o777);
  withoutRights(write);
  expect(readdirSync(folder)).not.toContain('file.half');
});
