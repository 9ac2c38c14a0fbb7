import type { KeyObject } from 'node:crypto';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { auditKeyFile, openAuditKey, readAuditKey } from '@relaygate/server/files/audit-key';
import { systemRandomness } from '@relaygate/shared/system';
import { folderForEach } from '../../../support/processes/fresh-folder';

const dataDir = folderForEach('rg-audit-key-');

const recorded: KeyObject[] = [];
const open = () => openAuditKey(dataDir, systemRandomness, async (key) => void recorded.push(key));

test('a new key is recorded before it has its file, for this user only; later starts find the same', async () => {
  const made = await openAuditKey(dataDir, systemRandomness, async (key) => {
    recorded.push(key);
    expect(existsSync(auditKeyFile(dataDir))).toBe(false);
  });
  expect(recorded.splice(0).map((key) => key.equals(made))).toEqual([true]);
  expect(statSync(auditKeyFile(dataDir)).mode & 0o777).toBe(0o600);
  expect((await open()).equals(made)).toBe(true);
  expect(recorded).toEqual([]);
});

test('a key that cannot be recorded has no file', async () => {
  const refuse = () => openAuditKey(dataDir, systemRandomness, () => Promise.reject(new Error('full')));
  await expect(refuse()).rejects.toThrow('full');
  expect(readdirSync(dataDir)).toEqual([]);
});

test('a damaged one is refused, and what a start that was killed has half written goes', async () => {
  writeFileSync(`${auditKeyFile(dataDir)}.half`, 'x');
  await open();
  expect(readdirSync(dataDir)).toEqual(['audit.key']);
  writeFileSync(auditKeyFile(dataDir), 'x');
  expect(() => readAuditKey(dataDir)).toThrow(expect.objectContaining({ code: 'secrets-unusable' }));
});
