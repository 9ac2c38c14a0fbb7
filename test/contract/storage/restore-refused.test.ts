import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { lockDataFolder } from '@relaygate/server/storage/sqlite/data-folder-lock';
import { openReadConnection } from '@relaygate/server/storage/sqlite/database-file';
import { MIGRATIONS } from '@relaygate/server/storage/sqlite/migrations';
import { tamper } from '../../support/server/tamper';
import {
  backedUp,
  clientNames,
  dataDir,
  failDisk,
  file,
  filled,
  forgeCheckpoint,
  opened,
  restored,
  target,
} from './copies-bench';
import { client } from './samples';

describe('restoring', () => {
  describe('is refused, with nothing changed,', () => {
    beforeEach(async () => {
      await filled();
      await backedUp();
      chmodSync(target, 0o600);
    });

    async function expectRefusal(code: string): Promise<void> {
      const before = readFileSync(file);
      await expect(restored()).rejects.toMatchObject({ code });
      expect(readFileSync(file).equals(before)).toBe(true);
      expect(readdirSync(dataDir).filter((name) => !name.startsWith('server.lock'))).toEqual([
        'audit.key',
        'relaygate.db',
      ]);
    }

    test.each<[string, 'fsyncSync' | 'linkSync' | 'renameSync', number]>([
      ['does not sync the new database', 'fsyncSync', 1],
      ['cannot name the old one a second time', 'linkSync', 1],
      ['does not sync the new one again', 'fsyncSync', 2],
      ['does not name the new one', 'renameSync', 1],
      ['does not sync its name', 'fsyncSync', 3],
    ])('where the disk %s', async (_, name, nth) => {
      failDisk(name, nth);
      await expectRefusal('database-unusable');
      expect(statSync(file).nlink).toBe(1);
      jest.restoreAllMocks();
      await restored();
    });

    test('while another program reads the old database, so that its log cannot be emptied', async () => {
      const storage = await opened();
      await storage.createClient(client('later'));
      const reader = openReadConnection(file);
      reader.exec('BEGIN; SELECT COUNT(*) FROM clients');
      const log = readFileSync(`${file}-wal`);
      await expect(restored()).rejects.toMatchObject({
        code: 'database-unusable',
        message: expect.stringMatching(/another program is reading it.* The old database is still in use\./),
      });
      expect(readdirSync(dataDir).filter((name) => name.includes('replaced'))).toEqual([]);
      expect(readFileSync(`${file}-wal`).subarray(0, log.length).equals(log)).toBe(true);
      reader.close();
      await storage.close();
      expect(await clientNames()).toEqual(['app', 'later']);
    });

    test('while a server runs on the data folder', async () => {
      const unlock = lockDataFolder(dataDir);
      await expectRefusal('already-running');
      unlock();
      await restored();
    });

    test.each<[string, () => unknown, string]>([
      ['of no file', () => rmSync(target), 'database-unusable'],
      ['of what is no database', () => writeFileSync(target, 'Dear diary, '.repeat(1000)), 'database-unusable'],
      ['of an empty file', () => writeFileSync(target, ''), 'database-unusable'],
      ['of half a backup', () => writeFileSync(target, readFileSync(target).subarray(0, 30_000)), 'database-unusable'],
      ['of a changed audit', () => tamper(target, "UPDATE audit_log SET hash = 'x' WHERE seq = 2"), 'audit-broken'],
      ['of a forged checkpoint', () => forgeCheckpoint(target), 'audit-broken'],
      ['of a cut audit', () => tamper(target, 'DELETE FROM audit_log WHERE seq > 1'), 'audit-broken'],
      [
        'of a newer program',
        () => tamper(target, `PRAGMA user_version = ${MIGRATIONS.length + 1}`),
        'database-too-new',
      ],
    ])('%s', async (_, spoil, code) => {
      await spoil();
      await expectRefusal(code);
    });
  });
});
