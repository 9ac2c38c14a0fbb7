import fs, { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, jest, test } from '@jest/globals';
import { openSecrets } from '@relaygate/server/files/secrets';
import { systemRandomness } from '@relaygate/shared/system';
import { folderForEach } from '../../../support/processes/fresh-folder';

const dataDir = folderForEach('rg-secrets-');
const file = join(dataDir, 'secrets.json');
afterEach(() => void jest.restoreAllMocks());

const open = (folder = dataDir) => openSecrets(folder, systemRandomness);

test('the first start makes them: two different keys of 32 bytes, for this user only', () => {
  const { accessKey, refreshSecret, accessKeyId } = open();
  expect([accessKey.symmetricKeySize, refreshSecret.symmetricKeySize]).toEqual([32, 32]);
  expect(accessKey.equals(refreshSecret)).toBe(false);
  expect(accessKeyId).toMatch(/^[0-9a-f]{16}$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(dataDir)).toEqual(['secrets.json']);
});

test('later starts find the same', () => {
  const first = open();
  const second = open();
  expect(second.accessKey.equals(first.accessKey)).toBe(true);
  expect(second.refreshSecret.equals(first.refreshSecret)).toBe(true);
  expect(second.accessKeyId).toBe(first.accessKeyId);
});

test('two data folders have different ones', () => {
  const first = open();
  expect(open(join(dataDir, 'other')).accessKey.equals(first.accessKey)).toBe(false);
});

test.each([0o644, 0o640, 0o604, 0o620])('a file of mode %o is refused with the command that mends it', (mode) => {
  open();
  chmodSync(file, mode);
  expect(open).toThrow(
    expect.objectContaining({ code: 'secrets-unusable', message: expect.stringContaining('chmod 600') }),
  );
});

test.each([
  ['empty', ''],
  ['cut off', '{"accessKeyId":"00'],
  ['null', 'null'],
  ['without a member', JSON.stringify({ accessKeyId: '0'.repeat(16), accessKey: 'A'.repeat(43) })],
  ['with a short key', JSON.stringify({ accessKeyId: '0'.repeat(16), accessKey: 'A', refreshSecret: 'A'.repeat(43) })],
  ['with a number', JSON.stringify({ accessKeyId: 1, accessKey: 'A'.repeat(43), refreshSecret: 'A'.repeat(43) })],
])('a file that is %s is refused, and left as it is', (_, text) => {
  writeFileSync(file, text, { mode: 0o600 });
  expect(open).toThrow(expect.objectContaining({ code: 'secrets-unusable' }));
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('a complaint never shows the secret', () => {
  open();
  const { accessKey } = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, `${readFileSync(file, 'utf8')}x`);
  let message = '';
  try {
    open();
  } catch (error) {
    message = String(error);
  }
  expect(message).toContain('damaged');
  expect(message).not.toContain(accessKey);
});

test('half-written files of starts that were killed go, also those of other processes and beside a whole file', () => {
  writeFileSync(`${file}.half`, '{"acc');
  writeFileSync(`${file}.1.half`, '{"acc');
  open();
  expect(readdirSync(dataDir)).toEqual(['secrets.json']);
  writeFileSync(`${file}.half`, '{"acc');
  open();
  expect(readdirSync(dataDir)).toEqual(['secrets.json']);
});

/** Once. */
function failDisk(name: 'fsyncSync' | 'linkSync', code: string): void {
  jest.spyOn(fs, name).mockImplementationOnce(() => {
    throw Object.assign(new Error(code), { code });
  });
}

test.each<['fsyncSync' | 'linkSync', string]>([
  ['fsyncSync', 'EIO'],
  ['linkSync', 'ENOSPC'],
])('a disk that fails in %s leaves nothing', (name, code) => {
  failDisk(name, code);
  expect(open).toThrow(expect.objectContaining({ code: 'secrets-unusable' }));
  expect(readdirSync(dataDir)).toEqual([]);
});

test('what cannot be cleaned up hides no failure', () => {
  failDisk('fsyncSync', 'EIO');
  jest.spyOn(fs, 'rmSync').mockImplementation(() => {
    throw Object.assign(new Error('EROFS'), { code: 'EROFS' });
  });
  expect(open).toThrow(expect.objectContaining({ code: 'secrets-unusable' }));
});

test('a half-written file that cannot be removed is no sign of another server', () => {
  mkdirSync(`${file}.half`);
  mkdirSync(`${file}.${process.pid}.half`);
  expect(open).toThrow(
    expect.objectContaining({ code: 'secrets-unusable', message: expect.stringContaining('cannot be written') }),
  );
});

test('secrets that were put there meanwhile count', () => {
  const whole = JSON.stringify({
    accessKeyId: '0'.repeat(16),
    accessKey: 'A'.repeat(43),
    refreshSecret: 'A'.repeat(43),
  });
  const link = fs.linkSync;
  jest.spyOn(fs, 'linkSync').mockImplementationOnce((half, name) => {
    writeFileSync(file, whole, { mode: 0o600 });
    link(half, name);
  });
  expect(open().accessKeyId).toBe('0'.repeat(16));
  expect(readdirSync(dataDir)).toEqual(['secrets.json']);
});

test('a folder in its place is refused', () => {
  mkdirSync(file);
  expect(open).toThrow(expect.objectContaining({ code: 'secrets-unusable' }));
  expect(existsSync(file)).toBe(true);
});
