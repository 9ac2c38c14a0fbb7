import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, jest, test } from '@jest/globals';
import { createProduct } from '@relaygate/server/products/provision';
import { openDatabase, openReadConnection } from '@relaygate/server/storage/sqlite/database-file';
import { MIGRATIONS } from '@relaygate/server/storage/sqlite/migrations';
import { systemRandomness, systemWallClock } from '@relaygate/shared/system';
import { eventsIn } from '../../support/server/audit-records';
import {
  backedUp,
  clientNames,
  dataDir,
  failDisk,
  file,
  filled,
  folder,
  opened,
  restored,
  silent,
} from './copies-bench';
import { client, NOW_MS, report, withLinkedGate } from './samples';

describe('restoring', () => {
  test('brings the backup back, keeps the replaced database, and is on record', async () => {
    await filled();
    await backedUp();
    const storage = await opened();
    await storage.createClient(client('later'));
    await storage.close();

    const { replacedFile } = await restored();
    expect(replacedFile).toBe(`${file}.replaced-20260101T000000Z`);
    expect(await clientNames()).toEqual(['app']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const old = openReadConnection(replacedFile ?? '');
    expect(old.prepare('SELECT client_id FROM clients ORDER BY 1').all()).toEqual([
      { client_id: 'app' },
      { client_id: 'later' },
    ]);
    old.close();
    const audit = await opened();
    expect((await eventsIn(audit, 'database-restored')).at(-1)).toMatchObject({
      writer: 'cli',
      // A million behind the record that is undone.
      seq: 1_000_004,
      details: { from: 'backup.db', keptAside: 'relaygate.db.replaced-20260101T000000Z' },
    });
    await audit.close();
  });

  test('gives no product the id of one that the restore took away, also if it takes that login', async () => {
    await filled();
    await backedUp();
    const made = async (): Promise<number | undefined> => {
      const storage = await opened();
      const wanted = { productLogin: 'barrier', outputs: 1, activated: false };
      await createProduct({ store: storage, randomness: systemRandomness, wallClock: systemWallClock }, wanted);
      const { productId } = (await storage.findProduct('barrier')) ?? {};
      await storage.close();
      return productId;
    };
    const before = await made();
    await restored();
    const after = await made();
    expect([typeof before, typeof after]).toEqual(['number', 'number']);
    expect(after).not.toBe(before);
  });

  test('keeps, beside the new database, also what only the write-ahead log of a killed program has', async () => {
    await filled();
    await backedUp();
    const storage = await opened();
    await storage.createClient(client('later'));
    // As a killed program leaves them: not closed, so not moved into the file.
    const killed = join(folder, 'killed');
    mkdirSync(killed);
    for (const name of ['relaygate.db', 'relaygate.db-wal']) copyFileSync(join(dataDir, name), join(killed, name));
    await storage.close();
    for (const name of readdirSync(dataDir)) rmSync(join(dataDir, name));
    for (const name of readdirSync(killed)) copyFileSync(join(killed, name), join(dataDir, name));

    const { replacedFile } = await restored();
    expect(await clientNames()).toEqual(['app']);
    const old = openReadConnection(replacedFile ?? '');
    expect(old.prepare('SELECT COUNT(*) AS n FROM clients').get()).toEqual({ n: 2 });
    old.close();
  });

  test('as a new database beside one that is there is refused, and changes nothing', async () => {
    await filled();
    await backedUp();
    const before = readdirSync(dataDir);
    await expect(restored(true)).rejects.toMatchObject({
      code: 'already-exists',
      message: expect.stringContaining('leave --new out'),
    });
    expect(readdirSync(dataDir)).toEqual(before);
  });

  test('twice within a second keeps both replaced databases', async () => {
    await filled();
    await backedUp();
    const first = await restored();
    const second = await restored();
    expect(new Set([first.replacedFile, second.replacedFile, null]).size).toBe(3);
  });

  test('works in an empty folder, on another machine', async () => {
    await filled();
    await backedUp();
    rmSync(dataDir, { recursive: true });
    expect(await restored()).toMatchObject({ replacedFile: null });
    expect(await clientNames()).toEqual(['app']);
  });

  test('of a running server keeps when each device was last seen (I11)', async () => {
    const storage = await withLinkedGate(await opened());
    await storage.saveReport('gate', 1, report({ observedAtMs: NOW_MS + 20 }));
    await backedUp();
    await storage.close();
    await restored();
    const again = await opened();
    await again.closeAllLinks();
    expect(await again.findProduct('gate')).toMatchObject({ connected: false, lastSeenAtMs: NOW_MS + 20 });
    await again.close();
  });

  test('takes an older backup, and migrates it', async () => {
    mkdirSync(dataDir);
    openDatabase(file, MIGRATIONS.slice(0, 1)).close();
    await backedUp();
    const reported = jest.spyOn(silent, 'migrated');
    expect(await restored()).toMatchObject({ databaseVersion: 1 });
    expect(reported).toHaveBeenCalledWith(expect.stringMatching(/^bringing the database from version 1 to /));
    const db = openReadConnection(file);
    expect(db.pragma('user_version', { simple: true })).toBe(MIGRATIONS.length);
    db.close();
    expect(readdirSync(dataDir).filter((name) => name.includes('before'))).toEqual([]);
    expect(await clientNames()).toEqual([]);
  });

  test('brings back a database that is damaged beyond opening', async () => {
    await filled();
    await backedUp();
    writeFileSync(file, 'Dear diary, '.repeat(1000));
    const { replacedFile } = await restored();
    expect(readFileSync(replacedFile ?? '', 'utf8')).toContain('Dear diary');
    expect(await clientNames()).toEqual(['app']);
  });

  test('into an empty folder leaves no database where the disk does not sync its name', async () => {
    await filled();
    await backedUp();
    rmSync(dataDir, { recursive: true });
    // Behind the two of the key.
    failDisk('fsyncSync', 5);
    await expect(restored()).rejects.toMatchObject({ code: 'database-unusable' });
    expect(readdirSync(dataDir).filter((name) => !name.startsWith('server.lock'))).toEqual(['audit.key']);
  });
});
