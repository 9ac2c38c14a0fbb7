import { createSecretKey, type KeyObject } from 'node:crypto';
import fs, {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { archiveAudit } from '@relaygate/server/audit/archive-audit';
import { recordHash } from '@relaygate/server/audit/audit-record';
import { type Checkpoint, checkpointEntry, signCheckpoint } from '@relaygate/server/audit/checkpoint';
import { everyRow } from '@relaygate/server/audit/every-record';
import type { OutsideEvidence } from '@relaygate/server/audit/kept-outside';
import { verifyAudit } from '@relaygate/server/audit/verify-audit';
import type { CopyProgress } from '@relaygate/server/checked-copy';
import { backUp } from '@relaygate/server/copies/back-up';
import { restore } from '@relaygate/server/copies/restore';
import { archiveFiles } from '@relaygate/server/files/archive-file';
import { auditKeyFile, openAuditKey, readAuditKey } from '@relaygate/server/files/audit-key';
import { checkpointFile, readCheckpoint, saveCheckpoint } from '@relaygate/server/files/checkpoint-file';
import { createProduct } from '@relaygate/server/products/provision';
import { AuditTrail } from '@relaygate/server/storage/audit-trail';
import { lockDataFolder } from '@relaygate/server/storage/sqlite/data-folder-lock';
import { openDatabase, openReadConnection, openWriteConnection } from '@relaygate/server/storage/sqlite/database-file';
import { MIGRATIONS } from '@relaygate/server/storage/sqlite/migrations';
import { writeSqlOf } from '@relaygate/server/storage/sqlite/sqlite';
import { openSqliteStorage } from '@relaygate/server/storage/sqlite/sqlite-storage';
import type { Storage } from '@relaygate/server/storage/storage';
import { systemRandomness, systemWallClock } from '@relaygate/shared/system';
import { Program } from '../../support/processes/program';
import { writtenAudit } from '../../support/server/audit-chain';
import { ANY, eventsIn, recordsIn } from '../../support/server/audit-records';
import { writeOldRecords } from '../../support/server/first-format-records';
import { firstFault } from './first-fault';
import { client, NOW_MS, report, withAppAndGate, withLinkedGate } from './samples';

let folder: string;
let dataDir: string;
let file: string;
let target: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rg-copies-'));
  dataDir = join(folder, 'data');
  file = join(dataDir, 'relaygate.db');
  target = join(folder, 'backup.db');
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

/** The disk fails at the `nth` call of this function, once. */
function failDisk(name: 'fsyncSync' | 'linkSync' | 'renameSync', nth: number): void {
  const real = fs[name];
  let calls = 0;
  jest.spyOn(fs, name).mockImplementation((...args: unknown[]) => {
    calls += 1;
    if (calls === nth) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
    Reflect.apply(real, fs, args);
  });
}

const silent: CopyProgress = { copied() {}, verified() {}, migrated() {} };
const opened = (): Promise<Storage> => openSqliteStorage({ file, writerName: 'cli', inline: true });
const backedUp = (evidence: OutsideEvidence = {}) => backUp(dataDir, target, silent, evidence);
const restored = (isNew = !existsSync(file), atMs = NOW_MS) =>
  restore(target, {
    dataDir,
    writerName: 'cli',
    actor: 'cli as ana',
    atMs,
    progress: silent,
    isNew,
    randomness: systemRandomness,
    checkpointFile: checkpointFile({ dataDir }),
  });

async function filled(fill: (storage: Storage) => Promise<unknown> = withAppAndGate): Promise<void> {
  const storage = await opened();
  await fill(storage);
  await storage.close();
  // As the server's first start makes it.
  await openAuditKey(dataDir, systemRandomness, async () => {});
}

/** By somebody who does not have the key: sound but for its MAC. */
async function forgeCheckpoint(path: string): Promise<void> {
  const db = openWriteConnection(path);
  const connection = writeSqlOf(db);
  const trail = new AuditTrail(connection, { writerName: 'cli', actor: undefined, randomness: systemRandomness });
  const key = await openAuditKey(dataDir, systemRandomness, async () => {});
  await connection.begin();
  const checkpoint = signCheckpoint(key, NOW_MS, await trail.heads(NOW_MS));
  await trail.append(checkpointEntry({ ...checkpoint, mac: '0'.repeat(64) }));
  await trail.keepHead();
  await connection.commit();
  db.close();
}

async function checkpointBy(key: KeyObject): Promise<Checkpoint> {
  const storage = await opened();
  const checkpoint = await storage.appendCheckpoint(key, NOW_MS);
  await storage.close();
  return checkpoint;
}

async function clientNames(): Promise<string[]> {
  const storage = await opened();
  const clients = await storage.listClients('', 1000);
  await storage.close();
  return clients.map(({ clientId }) => clientId);
}

/** What nobody can do with SQL alone: the triggers hold it back. */
function tamper(path: string, ...statements: string[]): void {
  const db = openWriteConnection(path);
  const triggers = db
    .prepare<[], { name: string; sql: string }>("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    .all();
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
  for (const statement of statements) db.exec(statement);
  for (const { sql } of triggers) db.exec(sql);
  db.close();
}

/** Of a writer that no record has added; sound in itself. */
function forgedChain(): string {
  const forged = { writer: 9, seq: 1, kind: 'associated', atMs: NOW_MS, body: '{}' };
  return `INSERT INTO audit_log (writer, seq, kind, at_ms, body, hash)
    VALUES (9, 1, 'associated', ${NOW_MS}, '{}', '${recordHash('0'.repeat(64), forged)}')`;
}

describe('a backup', () => {
  test('is one whole private file with everything in it', async () => {
    await filled();
    const copy = await backedUp();
    expect(copy).toMatchObject({ databaseVersion: MIGRATIONS.length, audit: { records: 5, faults: 0 } });
    expect(statSync(target)).toMatchObject({ size: copy.sizeBytes });
    expect(statSync(target).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['backup.db', 'data']);
    const db = openReadConnection(target);
    expect(db.prepare('SELECT client_id FROM clients').all()).toEqual([{ client_id: 'app' }]);
    db.close();
  });

  test('has what the write-ahead log alone has, of a database that is open', async () => {
    const storage = await opened();
    await storage.createClient(client('app'));
    await backedUp();
    await storage.close();
    const db = openReadConnection(target);
    expect(db.prepare('SELECT client_id FROM clients').all()).toEqual([{ client_id: 'app' }]);
    db.close();
  });

  test('is done beside a program that writes all the time, and holds a moment of it', async () => {
    await filled();
    const args = [file, 'node-1', 'c', '1000000'];
    const maker = await Program.start({ name: 'client maker', file: require.resolve('./client-maker'), args });
    try {
      await maker.line(/^c-200$/);
      const { audit } = await backedUp();
      expect(audit.faults).toBe(0);
      expect(audit.records).toBeGreaterThanOrEqual(203);
      expect(maker.running).toBe(true);
    } finally {
      maker.kill('SIGKILL');
      await maker.ended;
    }
  });

  test('never overwrites a file', async () => {
    await filled();
    writeFileSync(target, 'mine');
    await expect(backedUp()).rejects.toMatchObject({ code: 'already-exists' });
    expect(readFileSync(target, 'utf8')).toBe('mine');
    expect(readdirSync(folder)).toEqual(['backup.db', 'data']);
  });

  test('leaves nothing where it cannot be written', async () => {
    await filled();
    target = join(folder, 'nowhere', 'backup.db');
    await expect(backedUp()).rejects.toMatchObject({ code: 'folder-not-writable' });
    expect(readdirSync(folder)).toEqual(['data']);
  });

  test.each<[string, 'fsyncSync' | 'linkSync', number]>([
    ['does not sync the copy', 'fsyncSync', 1],
    ['does not name it', 'linkSync', 1],
    ['does not sync the name', 'fsyncSync', 2],
  ])('leaves nothing where the disk %s', async (_, name, nth) => {
    await filled();
    failDisk(name, nth);
    await expect(backedUp()).rejects.toMatchObject({ code: 'folder-not-writable' });
    expect(readdirSync(folder)).toEqual(['data']);
  });

  test('of a damaged database is refused, and leaves nothing', async () => {
    await filled();
    const db = openWriteConnection(file);
    db.pragma('foreign_keys = OFF');
    db.exec("DELETE FROM clients WHERE client_id = 'app'");
    db.close();
    await expect(backedUp()).rejects.toMatchObject({
      code: 'database-unusable',
      message: expect.stringContaining('is damaged'),
    });
    expect(readdirSync(folder)).toEqual(['data']);
  });

  test('of a broken audit is made, and says where it is broken', async () => {
    await filled();
    tamper(file, "UPDATE audit_log SET body = replace(body, 'app', 'apq') WHERE kind = 'client-created'");
    const { audit } = await backedUp();
    expect(audit).toMatchObject({ faults: 1, findings: [{ writer: 'cli', seq: 1, fault: 'changed' }] });
    expect(existsSync(target)).toBe(true);
  });

  test.each<[string, string[], string]>([
    [
      'triggers of the same names that do nothing',
      ['DROP TRIGGER audit_log_stay', 'CREATE TRIGGER audit_log_stay BEFORE DELETE ON audit_log BEGIN SELECT 1; END'],
      'totals',
    ],
    [
      'a trigger that drops records',
      ['CREATE TRIGGER more BEFORE INSERT ON audit_log BEGIN SELECT RAISE(IGNORE); END'],
      'totals',
    ],
    ['a head that is gone', ["DELETE FROM audit_writers WHERE name = 'cli'"], 'added'],
    ['a chain of a writer that never was', [forgedChain()], 'forged-writer'],
  ])('says what is wrong with %s', async (_, statements, fault) => {
    await filled();
    const db = openWriteConnection(file);
    for (const statement of statements) db.exec(statement);
    db.close();
    expect((await backedUp()).audit.findings[0]).toMatchObject({ fault });
  });

  test('says which checkpoint in it was forged, by the key of the data folder', async () => {
    await filled();
    await forgeCheckpoint(file);
    const { audit } = await backedUp({ key: readAuditKey(dataDir) });
    expect(audit.findings).toMatchObject([{ writer: 'cli', seq: 4, fault: 'bad-mac' }]);
  });

  test('says that records were cut off, by the newest checkpoint', async () => {
    await filled();
    const key = readAuditKey(dataDir);
    if (!key) throw new Error('there is no key');
    const checkpoint = await checkpointBy(key);
    // Both the checkpoint and the record before it, with the note of them.
    tamper(
      file,
      'DELETE FROM audit_log WHERE writer = 2 AND seq > 2',
      'UPDATE audit_writers SET (seq, hash) = (SELECT seq, hash FROM audit_log WHERE writer = 2 AND seq = 2) WHERE writer = 2',
    );
    expect((await backedUp({ key })).audit.findings.filter(({ fault }) => fault === 'cut')).toEqual([]);
    rmSync(target);
    expect((await backedUp({ key, checkpoint })).audit.findings).toContainEqual(
      expect.objectContaining({ writer: 'cli', seq: 3, fault: 'cut' }),
    );
  });

  test('does not migrate the database that it copies', async () => {
    mkdirSync(dataDir);
    openDatabase(file, MIGRATIONS.slice(0, 1)).close();
    expect(await backedUp()).toMatchObject({ databaseVersion: 1 });
    expect(readdirSync(dataDir)).toEqual(['relaygate.db']);
  });
});

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

  test('link epochs go on far above those that devices may have seen since (I12)', async () => {
    await filled(withLinkedGate);
    await backedUp();
    await restored();
    const db = openReadConnection(file);
    expect(db.prepare('SELECT link_epoch AS epoch FROM products').get()).toEqual({ epoch: 1_000_001 });
    db.close();
  });

  test('heads and the ids of writers go on far above those that came since', async () => {
    await filled(withLinkedGate);
    const node = await openSqliteStorage({ file, writerName: 'node-1', inline: true });
    await node.createClient(client('of the node'));
    await node.close();
    await backedUp();
    const before = openReadConnection(file);
    const heads = before.prepare('SELECT writer, seq FROM audit_writers ORDER BY writer').raw().all();
    before.close();
    await restored();
    const later = await openSqliteStorage({ file, writerName: 'later', actor: 'cli as bo', inline: true });
    await later.createClient(client('of a new writer'));
    await later.close();
    const db = openReadConnection(file);
    const after = db.prepare<[], [number, number]>('SELECT writer, seq FROM audit_writers ORDER BY writer');
    const far = 1_000_000;
    expect(heads).toEqual([
      [0, 3],
      [2, 4],
      [3, 1],
    ]);
    expect(after.raw().all()).toEqual([
      [0, far + 4],
      // Its checkpoint, too.
      [2, far + 5],
      [3, far + 1],
      [far + 4, 1],
    ]);
    db.close();
    const audit = await opened();
    expect(await firstFault(audit)).toBeUndefined();
    await audit.close();
  });

  test('twice from the same backup repeats no head, cursor, epoch or id', async () => {
    await filled(withLinkedGate);
    await backedUp();
    const far = (): Record<string, number> => {
      const db = openReadConnection(file);
      const of = (what: string) => db.prepare<[], number>(`SELECT ${what}`).pluck().get() ?? 0;
      const numbers = {
        head: of("MIN(seq) FROM audit_writers WHERE name IN ('@writers', 'cli', 'node-2')"),
        revision: of('MAX(revision) FROM revision_writers'),
        epoch: of('MAX(link_epoch) FROM products'),
        id: of('MAX(id) FROM audit_log'),
      };
      db.close();
      return numbers;
    };
    const later = await openSqliteStorage({ file, writerName: 'node-2', inline: true });
    await later.createClient(client('later'));
    await later.close();
    await restored();
    const first = far();
    await restored();
    const second = far();
    expect(first.head).toBeGreaterThan(1_000_000);
    for (const [what, number] of Object.entries(first))
      expect([what, (second[what] ?? 0) > number + 999_990]).toEqual([what, true]);
    const audit = await opened();
    expect(await firstFault(audit)).toBeUndefined();
    expect(await eventsIn(audit, 'database-restored')).toHaveLength(1);
    await audit.close();
  });

  test('is what comes next for who reads the audit on, wherever he stood, and no gap to who verifies it', async () => {
    await filled(withLinkedGate);
    await backedUp();
    const storage = await opened();
    for (let n = 0; n < 20; n += 1) await storage.createClient(client(`later ${n}`));
    const lastRead = (await eventsIn(storage)).at(-1)?.id ?? 0;
    await storage.close();
    await restored();
    const again = await opened();
    const [first] = await again.listAudit(ANY, { afterId: lastRead, newestFirst: false }, 1);
    expect(first?.kind).toBe('database-restored');
    expect(first?.id).toBeGreaterThanOrEqual(lastRead + 1_000_000);
    expect(await firstFault(again)).toBeUndefined();
    await again.createClient(client('behind it'));
    await again.close();
    expect(writtenAudit(file).problems).toEqual([]);
    tamper(file, 'DELETE FROM audit_log WHERE id = (SELECT MAX(id) - 1 FROM audit_log)');
    const cut = await opened();
    expect(await firstFault(cut)).toBeDefined();
    await cut.close();
  });

  test('is archived, also in an archive that begins with it', async () => {
    await filled(withLinkedGate);
    await backedUp();
    await restored(false, NOW_MS + 1_000);
    const storage = await opened();
    const rows = await eventsIn(storage);
    const key = await openAuditKey(dataDir, systemRandomness, async () => {});
    const archive = (name: string, beforeMs: number) =>
      archiveAudit(
        {
          store: storage,
          files: archiveFiles,
          key,
          wallClock: { epochMs: () => NOW_MS + 5_000 },
          pause: async () => {},
          progress: { written() {}, verified() {}, removed() {} },
        },
        { beforeMs, file: join(folder, name) },
      );
    const first = await archive('a.gz', NOW_MS + 1_000);
    const second = await archive('b.gz', NOW_MS + 5_000);
    expect(second?.fromId).toBeGreaterThanOrEqual((first?.toId ?? 0) + 1_000_000);
    expect(first?.records).toBe(first?.toId);
    const archives = ['a.gz', 'b.gz'].flatMap((name) => archiveFiles.open(join(folder, name)) ?? []);
    for (const given of [[], archives.slice(1), archives]) {
      expect((await verifyAudit(storage, { key, archives: given })).findings).toEqual([]);
    }
    const read = [];
    for await (const page of everyRow(storage, archives)) read.push(...page);
    const wasThere = new Set(rows.map(({ id }) => id));
    expect(read.filter(({ id }) => wasThere.has(id))).toEqual(rows);
    await storage.close();
  });

  test('into an audit that begins with it leaves no id of before', async () => {
    await filled(async () => {});
    await backedUp();
    const storage = await opened();
    await storage.createClient(client('later'));
    const lastId = (await recordsIn(storage)).at(-1)?.id ?? 0;
    await storage.close();
    await restored();
    const again = await opened();
    const [first] = await recordsIn(again);
    expect(first).toMatchObject({ kind: 'audit-begun' });
    expect(first?.id).toBeGreaterThan(lastId);
    expect(await firstFault(again)).toBeUndefined();
    await again.close();
  });

  test.each<[string, () => void]>([
    ['on a new machine', () => rmSync(file)],
    ['over one that cannot be read', () => writeFileSync(file, 'Dear diary, '.repeat(1000))],
  ])('%s goes further the later it is', async (_, lose) => {
    await filled(withLinkedGate);
    await backedUp();
    const epochs: number[] = [];
    const heads: number[] = [];
    for (const daysLater of [1, 2]) {
      lose();
      await restored(!existsSync(file), NOW_MS + daysLater * 86_400_000);
      const db = openReadConnection(file);
      epochs.push(db.prepare<[], number>('SELECT link_epoch FROM products').pluck().get() ?? 0);
      heads.push(db.prepare<[], number>("SELECT seq FROM audit_writers WHERE name = 'cli'").pluck().get() ?? 0);
      db.close();
    }
    const [[firstEpoch = 0, secondEpoch = 0], [firstHead = 0, secondHead = 0]] = [epochs, heads];
    expect(secondEpoch - firstEpoch).toBe(86_400);
    expect(secondHead - firstHead).toBe(86_400_000);
    expect(firstEpoch).toBeGreaterThan(1_000_000);
  });

  test('leaves a checkpoint behind, by which what came since is not missed', async () => {
    await filled();
    await backedUp();
    const storage = await opened();
    await storage.createClient(client('later'));
    const key = await openAuditKey(dataDir, systemRandomness, async () => {});
    const place = checkpointFile({ dataDir });
    const undone = await storage.appendCheckpoint(key, NOW_MS);
    saveCheckpoint(place, undone);
    await storage.close();
    await restored();
    const again = await opened();
    const checkpoint = readCheckpoint(place);
    expect(await verifyAudit(again, { key, checkpoint })).toMatchObject({ faults: 0, unconfirmed: [] });
    const texts = (await verifyAudit(again, { key, checkpoint: undone })).findings.map(({ text }) => text);
    expect(texts).toEqual(['a restore has undone record 5']);
    await again.close();
  });

  test('beside another key than the one of the backup records that the key was changed', async () => {
    await filled();
    const storage = await opened();
    const old = await openAuditKey(dataDir, systemRandomness, async () => {});
    const { heads } = await storage.appendCheckpoint(old, NOW_MS);
    await storage.close();
    await backedUp();
    rmSync(auditKeyFile(dataDir));
    await restored();
    const again = await opened();
    const key = readAuditKey(dataDir);
    const evidence = { key, expected: heads, checkpoint: readCheckpoint(checkpointFile({ dataDir })) };
    const checkpoints = { good: 1, unchecked: 1, keyChangedAtMs: NOW_MS };
    expect(await verifyAudit(again, evidence)).toMatchObject({ faults: 0, unconfirmed: [], checkpoints });
    await again.close();
  });

  test('warns where the disk does not take that checkpoint', async () => {
    await filled();
    await backedUp();
    mkdirSync(checkpointFile({ dataDir }));
    expect(await restored()).toMatchObject({
      checkpointFault: expect.stringMatching(/^The database is restored, but .*EISDIR/),
    });
    expect(await clientNames()).toEqual(['app']);
  });

  test('does not wait for ever for a disk that hangs with that checkpoint', async () => {
    await filled();
    await backedUp();
    // A program that does nothing stands for it.
    const stub = join(folder, 'stub');
    writeFileSync(stub, '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
    jest.replaceProperty(process, 'execPath', stub);
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(100));
    expect(await restored()).toMatchObject({ checkpointFault: expect.stringContaining('is not in its file') });
    expect(await clientNames()).toEqual(['app']);
  });

  test('of a backup whose audit is of the first format jumps in all its chains', async () => {
    mkdirSync(dataDir);
    const db = openDatabase(file, MIGRATIONS.slice(0, 4));
    writeOldRecords(db, 'cli', [{ kind: 'associated' }, { kind: 'dissociated' }]);
    const [, last] = writeOldRecords(db, 'node-1', [{ kind: 'command' }, { kind: 'outcome' }]);
    db.close();
    await backedUp();
    await restored();
    const storage = await opened();
    const heads = (await storage.auditHeads())?.map(({ writer, seq }) => [writer, seq]);
    expect(heads).toEqual([
      ['@writers', 1_000_003],
      ['cli', 1_000_003],
      ['node-1', 1_000_002],
    ]);
    const expected = [{ writer: 'node-1', seq: 2, hash: last?.hash ?? '' }];
    expect(await verifyAudit(storage, { expected })).toMatchObject({ faults: 0 });
    await storage.close();
  });

  test('takes a backup whose checkpoints another key has made, such as that of another machine, and says so', async () => {
    await filled();
    await checkpointBy(createSecretKey(Buffer.alloc(32, 1)));
    await backedUp();
    const { audit } = await restored();
    expect(audit.findings).toMatchObject([{ fault: 'other-key' }]);
    const storage = await opened();
    const checkpoint = readCheckpoint(checkpointFile({ dataDir }));
    expect(await verifyAudit(storage, { key: readAuditKey(dataDir), checkpoint })).toMatchObject({ faults: 0 });
    await storage.close();
  });

  test('whoever listened after the backup gets the state of everything again', async () => {
    await filled(withLinkedGate);
    await backedUp();
    const before = await opened();
    await before.saveReport('gate', 1, report());
    const { cursor } = await before.changesSince(new Map(), 100);
    await before.close();
    await restored();
    const after = await opened();
    const { changes } = await after.changesSince(cursor, 100);
    expect(changes.map(({ kind }) => kind).sort()).toEqual(['output', 'output', 'product']);
    expect(changes.find(({ kind }) => kind === 'output')).toMatchObject({ observedAtMs: null });
    await after.close();
  });

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

    test('where the disk fails beside a log that another program reads', async () => {
      const storage = await opened();
      await storage.createClient(client('later'));
      const reader = openReadConnection(file);
      reader.exec('BEGIN; SELECT COUNT(*) FROM clients');
      const log = readFileSync(`${file}-wal`);
      failDisk('renameSync', 1);
      await expect(restored()).rejects.toMatchObject({
        code: 'database-unusable',
        message: expect.stringContaining('The old database is still in use.'),
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
