import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { isServerRunning, lockDataFolder } from '@relaygate/server/storage/sqlite/data-folder-lock';

test('a server is seen to run on a data folder for as long as it holds the lock, and looking does not take it', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'rg-presence-'));
  expect(isServerRunning(dataDir)).toBe(false);
  const unlock = lockDataFolder(dataDir);
  expect(isServerRunning(dataDir)).toBe(true);
  expect(isServerRunning(dataDir)).toBe(true);
  unlock();
  expect(isServerRunning(dataDir)).toBe(false);
  lockDataFolder(dataDir)();
});
