import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, jest, test } from '@jest/globals';
import { keepMigrated } from '@relaygate/server/files/migrated-storage';
import { operatorAccess } from '@relaygate/server/operator-access';
import { readSettings } from '@relaygate/server/settings';
import { lockDataFolder, lockForMigration } from '@relaygate/server/storage/sqlite/data-folder-lock';
import { openDatabase, openReadConnection, openWriteConnection } from '@relaygate/server/storage/sqlite/database-file';
import { MIGRATIONS } from '@relaygate/server/storage/sqlite/migrations';
import { openSqlite } from '@relaygate/server/storage/sqlite/sqlite';
import { openSqliteStorage } from '@relaygate/server/storage/sqlite/sqlite-storage';
import { folderForEach } from '../../support/processes/fresh-folder';
import { eventsIn } from '../../support/server/audit-records';
import { CONTACT, client, command, keyOf, NOW_MS, report, withAppAndGate } from './samples';

const folder = folderForEach('rg-storage-');
const file = join(folder, 'relaygate.db');

const both = [{ inline: false }, { inline: true }];
const openWith = (inline: boolean, path = file) => openSqliteStorage({ file: path, writerName: 'node-1', inline });
const openAsOperator = (mustExist: boolean) =>
  operatorAccess.openStore(readSettings({ RELAYGATE_DATA_DIR: folder }), {
    mustExist,
    systemUser: 'ana',
    showNotice() {},
  });

async function fill(): Promise<void> {
  const storage = await openWith(true);
  await storage.createClient(client('app'));
  await storage.close();
}

/** As a restore does. */
function replaceFile(): void {
  const db = openReadConnection(file);
  db.prepare('VACUUM INTO ?').run(`${file}.restored`);
  db.close();
  for (const suffix of ['-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
  renameSync(`${file}.restored`, file);
}

function sql(...statements: string[]): void {
  const db = openWriteConnection(file);
  for (const statement of statements) db.exec(statement);
  db.close();
}

describe.each(both)('closing a file (inline: $inline)', ({ inline }) => {
  /** What somebody has who copies the file and knows nothing of its write-ahead log. */
  function statesInCopy(): unknown[] {
    const copy = join(folder, 'elsewhere', 'copy.db');
    mkdirSync(join(folder, 'elsewhere'));
    copyFileSync(file, copy);
    const db = openSqlite(copy, { readonly: true });
    const rows = db.prepare('SELECT client_id AS clientId, active FROM clients').all();
    db.close();
    return rows;
  }

  test('leaves everything in the file itself, and no log beside it', async () => {
    await fill();
    const storage = await openWith(inline);
    await storage.setClientActive('app', false, NOW_MS);
    await storage.close();
    expect(statesInCopy()).toEqual([{ clientId: 'app', active: 0 }]);
    expect(readdirSync(folder).sort()).toEqual(['elsewhere', 'relaygate.db']);
  });

  if (!inline)
    test('of a server moves the log into the file although another program has it open', async () => {
      await fill();
      const other = openReadConnection(file);
      other.prepare('SELECT 1 FROM clients').all();
      const storage = await openWith(inline);
      await storage.setClientActive('app', false, NOW_MS);
      await storage.close();
      expect(statesInCopy()).toEqual([{ clientId: 'app', active: 0 }]);
      other.close();
    });

  test('does not wait for a program that reads on', async () => {
    await fill();
    const other = openReadConnection(file);
    other.exec('BEGIN');
    other.prepare('SELECT 1 FROM clients').all();
    const storage = await openWith(inline);
    await storage.setClientActive('app', false, NOW_MS);
    await expect(storage.close()).resolves.toBeUndefined();
    other.exec('COMMIT');
    other.close();
    const again = await openWith(inline);
    expect(await again.isKeyActive(keyOf('app'), NOW_MS)).toBe(false);
    await again.close();
  });
});

describe.each(both)('opening a file (inline: $inline)', ({ inline }) => {
  test('makes a missing folder and file that other users cannot read', async () => {
    const path = join(folder, 'a', 'b', 'relaygate.db');
    await (await openWith(inline, path)).close();
    expect(statSync(join(folder, 'a', 'b')).mode & 0o777).toBe(0o700);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('a database of a newer program is refused, and untouched', async () => {
    await fill();
    sql(`PRAGMA user_version = ${MIGRATIONS.length + 1}`);
    const before = readFileSync(file);
    await expect(openWith(inline)).rejects.toMatchObject({
      code: 'database-too-new',
      message: expect.stringContaining('update the program'),
    });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test("another program's database is refused, and untouched", async () => {
    sql('CREATE TABLE recipes (name TEXT)');
    const before = readFileSync(file);
    await expect(openWith(inline)).rejects.toMatchObject({ code: 'database-unusable' });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('what is no database is refused, and untouched', async () => {
    writeFileSync(file, 'Dear diary, '.repeat(1000));
    await expect(openWith(inline)).rejects.toMatchObject({
      code: 'database-unusable',
      message: expect.stringContaining('is no database'),
    });
    expect(readFileSync(file, 'utf8')).toBe('Dear diary, '.repeat(1000));
  });

  test('a folder in its place is refused', async () => {
    mkdirSync(file);
    await expect(openWith(inline)).rejects.toMatchObject({ code: 'database-unusable' });
  });

  test('a data folder that cannot be made is named', async () => {
    writeFileSync(join(folder, 'plain-file'), '');
    await expect(openWith(inline, join(folder, 'plain-file', 'data', 'relaygate.db'))).rejects.toMatchObject({
      code: 'folder-not-writable',
      message: expect.stringContaining('RELAYGATE_DATA_DIR'),
    });
  });
});

test("an operator's command makes a database only where it may", async () => {
  await expect(openAsOperator(true)).rejects.toMatchObject({ code: 'database-unusable' });
  expect(existsSync(file)).toBe(false);
  await (await openAsOperator(false)).close();
  expect(existsSync(file)).toBe(true);
});

describe('migrating', () => {
  const NEXT = [...MIGRATIONS, 'ALTER TABLE clients ADD COLUMN note TEXT'];

  test('a new database gets every step and needs no copy', () => {
    const db = openDatabase(file, NEXT);
    expect(db.pragma('user_version', { simple: true })).toBe(NEXT.length);
    db.close();
    expect(readdirSync(folder)).toEqual(['relaygate.db']);
  });

  test('an older database is copied beside itself first, then has the new steps and its old rows', async () => {
    await fill();
    const db = openDatabase(file, NEXT);
    expect(db.prepare('SELECT client_id, note FROM clients').all()).toEqual([{ client_id: 'app', note: null }]);
    db.close();
    const copy = openReadConnection(`${file}.before-v${NEXT.length}`);
    expect(copy.pragma('user_version', { simple: true })).toBe(MIGRATIONS.length);
    expect(copy.prepare('SELECT client_id FROM clients').all()).toEqual([{ client_id: 'app' }]);
    copy.close();
  });

  test('the copy is readable for the owner of the folder only', async () => {
    await fill();
    if (process.geteuid?.() === 0) chownSync(folder, 1_234, 1_235);
    openDatabase(file, NEXT).close();
    const { mode, uid, gid } = statSync(`${file}.before-v${NEXT.length}`);
    const owner = statSync(folder);
    expect({ mode: mode & 0o777, uid, gid }).toEqual({ mode: 0o600, uid: owner.uid, gid: owner.gid });
  });

  test('the copy has what the write-ahead log alone has', async () => {
    const storage = await openWith(true);
    await storage.createClient(client('app'));
    openDatabase(file, NEXT).close();
    await storage.close();
    const copy = openReadConnection(`${file}.before-v${NEXT.length}`);
    expect(copy.prepare('SELECT client_id FROM clients').all()).toEqual([{ client_id: 'app' }]);
    copy.close();
  });

  test('is refused where the disk has no room for it, with nothing changed', async () => {
    await fill();
    const before = readFileSync(file);
    const needed = 3 * before.length;
    const open = (freeBytes: number) => openDatabase(file, NEXT, { freeBytes: () => freeBytes });
    expect(() => open(needed - 1)).toThrow(expect.objectContaining({ code: 'disk-full' }));
    expect(() => open(needed - 1)).toThrow(/needs 1 MiB on its disk; 0 MiB are free\. Make room, then start again/);
    const openCopy = () => openDatabase(file, NEXT, { isCopy: true, freeBytes: () => 0 });
    expect(openCopy).toThrow(/^The copy .*Make room, then run the command again; nothing was changed\.$/);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(folder)).toEqual(['relaygate.db']);
    open(needed).close();
  });

  test('reports that it begins, and what took more than a second', async () => {
    const reported: string[] = [];
    let nowMs = 0;
    const open = (stepMs: number) =>
      openDatabase(file, NEXT, { progress: (text) => void reported.push(text), nowMs: () => (nowMs += stepMs) });
    open(5_000).close();
    // What has no rows is made at once, and nobody waits for it.
    reported.length = 0;
    rmSync(file);
    await fill();
    open(500).close();
    const begun = `bringing the database from version ${MIGRATIONS.length} to ${NEXT.length}; stopping it undoes the migration`;
    expect(reported).toEqual([begun]);
    rmSync(file);
    await fill();
    open(2_000).close();
    expect(reported.slice(1)).toEqual([
      begun,
      `copying it to ${file}.before-v${NEXT.length}: done in 2 s`,
      `version ${NEXT.length} of ${NEXT.length}: done in 2 s`,
    ]);
    open(2_000).close();
    expect(reported).toHaveLength(4);
  });

  test('a step that fails leaves the database as it was', async () => {
    await fill();
    expect(() => openDatabase(file, [...NEXT, 'CREATE TABLE clients (id TEXT)'])).toThrow(/cannot be opened/);
    const storage = await openWith(true);
    expect(await storage.isKeyActive(keyOf('app'), NOW_MS)).toBe(true);
    await storage.close();
  });

  test('a database of version 1 keeps its clients, whose keys then can be rotated', async () => {
    const db = openDatabase(file, MIGRATIONS.slice(0, 1));
    db.exec("INSERT INTO clients VALUES ('app', 'Desk', 'k1', 'aa', 1, 0)");
    db.close();
    const storage = await openWith(true);
    const rotation = { keyId: 'k2', keyHash: 'bb', oldKeyUntilMs: NOW_MS + 1, atMs: NOW_MS };
    await storage.rotateClientKey('Desk', rotation);
    expect(await storage.findClientKey('k1', NOW_MS)).toEqual({ clientId: 'app', keyHash: 'aa', active: true });
    expect(await storage.findClientKey('k2', NOW_MS)).toEqual({ clientId: 'app', keyHash: 'bb', active: true });
    await storage.close();
    const copy = openReadConnection(`${file}.before-v${MIGRATIONS.length}`);
    expect(copy.pragma('user_version', { simple: true })).toBe(1);
    expect(copy.prepare('SELECT key_id FROM clients').all()).toEqual([{ key_id: 'k1' }]);
    copy.close();
  });

  test('products of a database from before ids get one each, of 48 bits, that stays theirs', async () => {
    const logins = Array.from({ length: 300 }, (_, n) => `gate-${n}`);
    const db = openDatabase(file, MIGRATIONS.slice(0, 10));
    const insert = db.prepare(
      "INSERT INTO products (product_login, key_hash, enrolment_hash, activated, created_at_ms) VALUES (?, '', '', 1, 0)",
    );
    for (const login of logins) insert.run(login);
    db.close();
    const idsOf = (): Map<string, number> => {
      const migrated = openDatabase(file);
      const rows = migrated
        .prepare<[], { login: string; id: number }>('SELECT product_login AS login, product_id AS id FROM products')
        .all();
      migrated.close();
      return new Map(rows.map(({ login, id }) => [login, id]));
    };
    const ids = idsOf();
    expect(new Set(ids.values()).size).toBe(logins.length);
    expect(Math.min(...ids.values())).toBeGreaterThanOrEqual(0);
    expect(Math.max(...ids.values())).toBeGreaterThan(2 ** 40);
    expect(Math.max(...ids.values())).toBeLessThan(2 ** 48);
    expect(idsOf()).toEqual(ids);
  });

  test('rows from before retention are as old as the migration, and the newest history of a product is not superseded', () => {
    const retention = MIGRATIONS.findIndex((step) => step.includes('ADD COLUMN revoked_at_ms'));
    const db = openDatabase(file, MIGRATIONS.slice(0, retention));
    db.exec(`INSERT INTO products (product_login, key_hash, enrolment_hash, activated, created_at_ms)
        VALUES ('gate', '', '', 1, 0);
      INSERT INTO device_revocations (revocation, product_login) VALUES (1, 'gate');
      INSERT INTO device_histories (product_login, history_id, last_seq, turn)
        VALUES ('gate', 'old', 9, 1), ('gate', 'new', 3, 2)`);
    db.close();
    const beforeMs = Date.now() - 1_000;
    const migrated = openDatabase(file);
    const cell = (sql: string): unknown => migrated.prepare(sql).pluck().get();
    expect(cell('SELECT revoked_at_ms FROM device_revocations')).toBeGreaterThanOrEqual(beforeMs);
    expect(cell("SELECT superseded_at_ms FROM device_histories WHERE history_id = 'old'")).toBeGreaterThanOrEqual(
      beforeMs,
    );
    expect(cell("SELECT superseded_at_ms FROM device_histories WHERE history_id = 'new'")).toBeNull();
    migrated.close();
  });

  test('a product of a database from before inputs has none until its device reports some, which stay', async () => {
    const before = MIGRATIONS.findIndex((step) => step.includes('inputs_observed_at_ms'));
    const db = openDatabase(file, MIGRATIONS.slice(0, before));
    db.exec(`INSERT INTO products (product_login, product_id, key_hash, enrolment_hash, activated, created_at_ms, revised_by,
        revision, held_epoch, link_epoch) VALUES ('gate', 1, '', '', 1, 0, 0, 1, 4, 4);
      INSERT INTO outputs (product_login, num_output, activated, heard_epoch, heard_turn, revised_by, revision)
        VALUES ('gate', 0, 1, 4, 7, 0, 2)`);
    db.close();
    const storage = await openWith(true);
    expect((await storage.findProduct('gate'))?.inputs).toEqual([]);
    await storage.saveReport('gate', 4, report({ seq: 8, inputs: [CONTACT] }));
    await storage.close();
    const again = await openWith(true);
    expect((await again.findProduct('gate'))?.inputs).toEqual([{ ...CONTACT, observedAtMs: NOW_MS + 10 }]);
    await again.close();
    const copy = openReadConnection(`${file}.before-v${MIGRATIONS.length}`);
    expect(copy.pragma('user_version', { simple: true })).toBe(before);
    copy.close();
  });

  test('the last sweep of a migrated database was when its newest record was written', () => {
    const sweptAtMs = (step: string, record = ''): unknown => {
      rmSync(file, { force: true });
      const db = openDatabase(file, MIGRATIONS.slice(0, stepWith(step)));
      db.exec(record);
      db.close();
      const migrated = openDatabase(file);
      const at = migrated.prepare('SELECT swept_at_ms FROM sweeps').pluck().get();
      migrated.close();
      return at;
    };
    const stepWith = (text: string): number => MIGRATIONS.findIndex((step) => step.includes(text));
    const oldRecord = `INSERT INTO audit_records (writer, seq, kind, body, previous_hash, hash)
      VALUES ('cli', 1, 'client-created', '{"atMs":5000}', '', 'a')`;
    const newRecord = `INSERT INTO audit_log (writer, seq, kind, at_ms, body, hash)
      VALUES (0, 1, 'audit-begun', 7000, '{}', 'a')`;
    expect(sweptAtMs('CREATE TABLE sweeps')).toBeNull();
    expect(sweptAtMs('CREATE TABLE audit_log', oldRecord)).toBe(5_000);
    expect(sweptAtMs('CREATE TABLE sweeps', newRecord)).toBe(7_000);
  });

  test("an operator's command leaves an older database to the server that runs, and migrates it once that has stopped", async () => {
    openDatabase(file, MIGRATIONS.slice(0, -1)).close();
    const unlock = lockDataFolder(folder);
    try {
      await expect(openAsOperator(true)).rejects.toMatchObject({
        code: 'already-running',
        message: expect.stringContaining('Restart it first'),
      });
      const db = openReadConnection(file);
      expect(db.pragma('user_version', { simple: true })).toBe(MIGRATIONS.length - 1);
      db.close();
      expect(readdirSync(folder).filter((name) => name.includes('before'))).toEqual([]);
    } finally {
      unlock();
    }
    await (await openAsOperator(true)).close();
    const db = openReadConnection(file);
    expect(db.pragma('user_version', { simple: true })).toBe(MIGRATIONS.length);
    db.close();
  });

  test('a server that starts while a command migrates the database is refused, and may start behind it', () => {
    openDatabase(file, MIGRATIONS.slice(0, -1)).close();
    const lock = jest.fn(() => lockForMigration(folder));
    openDatabase(file, MIGRATIONS, {
      beforeMigration: lock,
      progress: () => expect(() => lockDataFolder(folder)).toThrow('A server runs on the data folder'),
    }).close();
    expect(lock).toHaveBeenCalledTimes(1);
    lockDataFolder(folder)();
    expect.assertions(2);
  });

  test.each([
    ['database-unusable', 'replaced', replaceFile],
    ['migrated-away', 'migrated', () => keepMigrated(folder, { atMs: NOW_MS, to: 'PostgreSQL' })],
  ])('a command writes nothing (%s) into a database that is %s while it runs', async (code, _what, change) => {
    const storage = await openAsOperator(false);
    await storage.createClient(client('before'));
    change();
    await expect(storage.createClient(client('late'))).rejects.toMatchObject({ code });
    await storage.close();
    const db = openReadConnection(file);
    expect(db.prepare('SELECT client_id FROM clients').pluck().all()).toEqual(['before']);
    db.close();
  });

  test('a database that is up to date is not copied', async () => {
    await fill();
    openDatabase(file).close();
    expect(readdirSync(folder)).toEqual(['relaygate.db']);
  });
});

describe('commands that the last run left pending', () => {
  test('are unknown after the start of a server of any name: whoever renamed the node left none behind', async () => {
    const before = await openSqliteStorage({ file, writerName: 'node-1', inline: true });
    await withAppAndGate(before);
    await before.recordCommand(command('c1'));
    await before.close();
    const renamed = await openSqliteStorage({ file, writerName: 'gatehouse', inline: true });
    expect(await renamed.interruptPending(NOW_MS + 500)).toBe(1);
    expect(await renamed.findCommand('c1')).toMatchObject({ outcome: 'unknown', reason: 'server-restarted' });
    expect((await eventsIn(renamed)).at(-1)).toMatchObject({ writer: 'gatehouse', kind: 'outcome', commandId: 'c1' });
    await renamed.close();
  });
});

describe('the audit table', () => {
  test.each([
    ["UPDATE audit_log SET body = ''", /never changed/],
    ['DELETE FROM audit_log', /never deleted/],
  ])('refuses %p', async (statement, complaint) => {
    await fill();
    expect(() => sql(statement)).toThrow(complaint);
  });
});
