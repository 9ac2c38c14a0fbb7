import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { nameDurably } from '@relaygate/server/files/durable-file';

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
