/** The SQLite database of a data folder, copied into PostgreSQL. */
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { verifyAudit } from '@relaygate/server/audit/verify-audit';
import type { MigratedDatabase } from '@relaygate/server/checked-copy';
import { COPIED_TABLES } from '@relaygate/server/copies/copied-rows';
import { type MigrationDeps, migrateStorage } from '@relaygate/server/copies/migrate-storage';
import { openMigrationSource } from '@relaygate/server/copies/migration-source';
import { type MigrationTarget, openMigrationTarget } from '@relaygate/server/copies/migration-target';
import { readAuditKey } from '@relaygate/server/files/audit-key';
import { refuseMigrated } from '@relaygate/server/files/migrated-storage';
import { ALL_AUDIT_READS } from '@relaygate/server/storage/postgresql/audit-reads';
import { openPostgresStorage } from '@relaygate/server/storage/postgresql/postgres-storage';
import { methodsOf, type Sql } from '@relaygate/server/storage/sql';
import { isServerRunning } from '@relaygate/server/storage/sqlite/data-folder-lock';
import { openDatabase, openReadConnection } from '@relaygate/server/storage/sqlite/database-file';
import { MIGRATIONS } from '@relaygate/server/storage/sqlite/migrations';
import { READS, type Storage } from '@relaygate/server/storage/storage';
import { systemClock, systemRandomness } from '@relaygate/shared/system';
import { describeWhere } from '../../support/processes/needs';
import { eventsIn, recordsIn } from '../../support/server/audit-records';
import { writeOldRecords } from '../../support/server/first-format-records';
import { missingPostgres, PostgresServer } from '../../support/server/postgres-server';
import { tamper } from '../../support/server/tamper';
import { checkpointBy, dataDir, file, filled, folder, opened } from './copies-bench';
import { CONTACT, client, command, family, NOW_MS, outcome, product, report, withLinkedGate } from './samples';

const ALL_READS = { ...READS, ...ALL_AUDIT_READS };
type Reads = Pick<Storage, keyof typeof ALL_READS>;

/** Everything that the readers of the storage port know. */
async function everything(store: Reads): Promise<object> {
  const clients = await store.listClients('', 1000);
  const products = await store.listProducts('', 1000);
  return {
    clients,
    keys: await Promise.all(['key of app', 'second key'].map((keyId) => store.findClientKey(keyId, NOW_MS))),
    products: await Promise.all(products.map(({ productLogin }) => store.findProduct(productLogin))),
    associations: await store.listAssociations({ productLogin: null, clientId: null }, undefined, 1000),
    commands: await Promise.all(['old', 'c1', 'c2'].map((commandId) => store.findCommand(commandId))),
    open: await store.openCommands('gate', 100),
    family: await store.findFamily('f1'),
    revoked: await store.revokedSince(0),
    changes: await store.changesSince(new Map(), 1000),
    sweptMs: await store.lastSweepMs(),
    records: await recordsIn(store),
    events: await eventsIn(store),
    heads: await store.auditHeads(),
    facts: await store.auditFacts(),
    names: [await store.auditProducts(), await store.auditNames()],
    archives: [await store.auditArchives(), await store.removedState()],
    faults: await store.auditStoreFaults(),
  };
}

/** A data folder that an older program began, whose audit is of the first format, and that this one has used since. */
async function used(): Promise<void> {
  mkdirSync(dataDir);
  const db = openDatabase(
    file,
    MIGRATIONS.slice(
      0,
      MIGRATIONS.findIndex((step) => step.includes('CREATE TABLE audit_log')),
    ),
  );
  db.exec("INSERT INTO clients VALUES ('desk', 'Desk', 'k1', 'aa', 1, 0)");
  const about = { atMs: NOW_MS - 9, actor: 'cli as ana' };
  writeOldRecords(db, 'cli', [{ kind: 'client-created', ...about, clientId: 'desk' } as { kind: string }]);
  writeOldRecords(db, 'node-0', [{ kind: 'associated' }, { kind: 'associated' }]);
  db.close();
  await filled(async (storage) => {
    await withLinkedGate(storage);
    await storage.saveReport('gate', 1, report({ inputs: [CONTACT] }));
    await storage.recordCommand(command('c1'));
    await storage.recordOutcome(outcome('c1'));
    await storage.recordCommand(command('c2'));
    await storage.createFamily(family('f1'));
    await storage.rotateClientKey('app', {
      keyId: 'second key',
      keyHash: 'bb',
      oldKeyUntilMs: NOW_MS + 9,
      atMs: NOW_MS,
    });
    const change = {
      seq: 1,
      actor: 'relayctl as ana',
      kind: 'pulse',
      changes: [],
      atMs: NOW_MS,
      bootId: 'b',
      bootMs: 7,
    };
    await storage.keepHistory('gate', 1, { historyId: 'h1', entries: [change], atMs: NOW_MS });
    await storage.createProduct(product('lost'));
    await storage.revokeDevice('lost', 'another code', NOW_MS);
    await storage.recordSweep(NOW_MS);
  });
  const key = readAuditKey(dataDir);
  if (key) await checkpointBy(key);
}

const fileHash = (): string => createHash('sha256').update(readFileSync(file)).digest('hex');

describeWhere(missingPostgres())('a data folder that is migrated to PostgreSQL', () => {
  let postgres: PostgresServer;
  let url: string;
  let said: string[];
  beforeAll(async () => {
    postgres = await PostgresServer.start();
  }, 60_000);
  afterAll(() => postgres.remove());
  beforeEach(async () => {
    url = await postgres.newDatabase();
    said = [];
    await used();
  });

  /** `around`: what happens to the target on the way. */
  async function migrated(
    around: (target: MigrationTarget) => Partial<MigrationTarget> = () => ({}),
    { from = dataDir, ...options }: { from?: string } & Partial<MigrationDeps> = {},
  ): Promise<MigratedDatabase> {
    const source = openMigrationSource(from, (text) => said.push(text));
    try {
      const target = await openMigrationTarget({ url, clock: systemClock, randomness: systemRandomness });
      try {
        return await migrateStorage({
          dataDir: from,
          source,
          target: { ...target, ...around(target) },
          evidence: { key: readAuditKey(from) },
          writerName: 'cli',
          actor: 'cli as ana',
          atMs: NOW_MS,
          progress: { copied() {}, readBack() {}, verified() {}, said: (text) => void said.push(text) },
          signal: new AbortController().signal,
          rowsAtOnce: 3,
          ...options,
        });
      } finally {
        await target.close();
      }
    } finally {
      source.close();
    }
  }

  /** Before it goes on with numbers of its own. */
  let copy: object;
  const seen = (target: MigrationTarget): Partial<MigrationTarget> => ({
    async finish(...args) {
      copy = await everything(methodsOf<Sql, typeof ALL_READS>(ALL_READS, (read) => read.bind(undefined, target.sql)));
      await target.finish(...args);
    },
  });

  async function original(): Promise<object> {
    const storage = await opened();
    const all = await everything(storage);
    await storage.close();
    return all;
  }

  const asServer = (): Promise<Storage> => openPostgresStorage({ url, writerName: 'node-1', isServer: true });
  const numbers = async (): Promise<Record<string, number>> =>
    (await query(`SELECT (SELECT MIN(link_epoch) FROM products)::int AS epoch,
      (SELECT MAX(id) FROM commands)::int AS command`)) as Record<string, number>;
  const query = async (text: string): Promise<unknown> =>
    (await postgres.query(new URL(url).pathname.slice(1), text))[0];

  test('is the same to every reader, and stays itself as it was', async () => {
    const before = await original();
    const bytes = fileHash();
    const { rows, audit, database } = await migrated(seen);
    expect(copy).toEqual(before);
    expect(fileHash()).toBe(bytes);
    expect(database).toBe(`PostgreSQL at 127.0.0.1:${postgres.port}, database ${new URL(url).pathname.slice(1)}`);
    expect(rows).toMatchObject({ clients: 2, products: 2, commands: 2, audit_records: 3, device_histories: 1 });
    const facts = before as { records: unknown[] };
    expect(audit).toMatchObject({ records: facts.records.length, faults: 0, checkpoints: { good: 1 } });
  });

  test('goes on as a database of its own, far ahead in all numbers, and by its own clock', async () => {
    tamper(file, 'UPDATE products SET lost_at_ms = 9000000000000');
    await migrated();
    expect(await query('SELECT COUNT(lost_at_ms)::int AS times FROM products')).toEqual({ times: 0 });
    const before = await numbers();
    expect(before.epoch).toBeGreaterThanOrEqual(1_000_000);
    const server = await asServer();
    await server.recordCommand(command('c3'));
    await server.recordOutcome(outcome('c2'));
    expect(await numbers()).toEqual({ epoch: before.epoch, command: (before.command ?? 0) + 1 });
    expect((await verifyAudit(server, { key: readAuditKey(dataDir) })).findings).toEqual([]);
    expect(await eventsIn(server, 'database-copied')).toMatchObject([
      { writer: 'cli', actor: 'cli as ana', atMs: NOW_MS, details: { from: 'SQLite' } },
    ]);
    await server.close();
    expect(await query("SELECT COUNT(*)::int AS marks FROM pg_class WHERE relname = 'storage_migration'")).toEqual({
      marks: 0,
    });
  });

  test('keeps its records by the same triggers, and takes none of the first format any more', async () => {
    await migrated();
    for (const [statement, error] of [
      ["INSERT INTO audit_records VALUES (99, 'x', 1, 'k', NULL, '', '', '')", /no longer written/],
      ["UPDATE audit_log SET body = ''", /never changed/],
      ['TRUNCATE audit_records', /never deleted/],
    ] as const) {
      await expect(query(statement)).rejects.toThrow(error);
    }
  });

  test('copies every table that there is, but where the file is and which servers run', () => {
    const db = openReadConnection(file);
    const tables = db.prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all();
    db.close();
    expect([...COPIED_TABLES, 'location', 'nodes'].sort()).toEqual(tables.sort());
  });

  test('goes on wherever it was killed, and the whole is the same', async () => {
    const before = await original();
    /** The process ends before its n-th step. */
    const killed = (n: number) => (target: MigrationTarget) => {
      let steps = 0;
      const step =
        <Args extends unknown[]>(run: (...args: Args) => Promise<void>) =>
        async (...args: Args): Promise<void> => {
          steps += 1;
          if (steps === n) throw new Error('killed');
          await run(...args);
        };
      const { begin, append, arm } = target;
      const { finish = target.finish } = seen(target);
      return { begin: step(begin), append: step(append), arm: step(arm), finish: step(finish) };
    };
    let runs = 0;
    for (let isDone = false; !isDone && runs < 60; runs += 1) {
      const end = migrated(killed(1 + (runs % 4)));
      isDone = await end.then(
        () => true,
        (error: Error) => {
          expect(error.message).toBe('killed');
          return false;
        },
      );
    }
    expect(runs).toBeGreaterThan(10);
    expect(copy).toEqual(before);
    expect(said.join()).not.toContain('anew');
  }, 60_000);

  test('stops in order when it is asked to, and goes on', async () => {
    const before = await original();
    const stop = new AbortController();
    const stopping = (target: MigrationTarget): Partial<MigrationTarget> => ({
      async append(...args) {
        await target.append(...args);
        if (args[0] === 'audit_log') stop.abort();
      },
    });
    await expect(migrated(stopping, { signal: stop.signal })).rejects.toMatchObject({
      code: 'migration-unfinished',
      message: expect.stringContaining('Run the same command again'),
    });
    await migrated(seen);
    expect(copy).toEqual(before);
    expect(said).toContain('going on with the copy that was begun');
  });

  const failing = (table: string) => (target: MigrationTarget) => ({
    async append(...args: Parameters<MigrationTarget['append']>) {
      if (args[0] === table) throw new Error('killed');
      await target.append(...args);
    },
  });

  test('begins anew if the data folder was used since', async () => {
    await expect(migrated(failing('audit_writers'))).rejects.toThrow('killed');
    const storage = await opened();
    await storage.createClient(client('late'));
    await storage.setProductActivated('gate', false, NOW_MS);
    await storage.close();
    const before = await original();
    await migrated(seen);
    expect(copy).toEqual(before);
    expect(said.join()).toContain('products has changed since the copy was begun, so it begins anew');
  });

  test('is used by nobody before it is whole, and by no other data folder', async () => {
    await expect(migrated(failing('commands'))).rejects.toThrow('killed');
    const half = { code: 'migration-unfinished' };
    await expect(asServer()).rejects.toMatchObject(half);
    await expect(openPostgresStorage({ url, writerName: 'cli', mustExist: true })).rejects.toMatchObject(half);
    const other = join(folder, 'other');
    mkdirSync(other);
    copyFileSync(file, join(other, 'relaygate.db'));
    await expect(migrated(undefined, { from: other })).rejects.toMatchObject({
      code: 'already-exists',
      message: expect.stringContaining(`relaygate.db of ${dataDir}`),
    });
  });

  test('keeps servers and commands out while it is under way', async () => {
    const meanwhile = (target: MigrationTarget): Partial<MigrationTarget> => ({
      async arm() {
        await expect(asServer()).rejects.toMatchObject({ code: 'already-running' });
        expect(isServerRunning(dataDir)).toBe(true);
        const storage = await opened();
        expect(await storage.listClients('', 9)).toHaveLength(2);
        await expect(storage.createClient(client('late'))).rejects.toMatchObject({ code: 'storage-unavailable' });
        await storage.close();
        await target.arm();
      },
    });
    await migrated(meanwhile);
    expect(isServerRunning(dataDir)).toBe(false);
  });

  test('is used no more afterwards, nor migrated again', async () => {
    refuseMigrated(dataDir);
    await migrated();
    expect(() => refuseMigrated(dataDir)).toThrow(expect.objectContaining({ code: 'migrated-away' }));
    await expect(migrated()).rejects.toMatchObject({ code: 'migrated-away' });
    url = await postgres.newDatabase();
    await expect(migrated()).rejects.toMatchObject({ code: 'migrated-away' });
  });

  test('ends on a disk that takes long for its last write', async () => {
    const slow = (target: MigrationTarget): Partial<MigrationTarget> => ({
      finish: (by, last) =>
        target.finish(by, () => {
          last();
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
        }),
    });
    await migrated(slow);
    await (await asServer()).close();
  });

  test('counts as migrated only if it is', async () => {
    const refused = (target: MigrationTarget): Partial<MigrationTarget> => ({
      finish: (by, last) =>
        target.finish(by, () => {
          last();
          throw new Error('the disk fails');
        }),
    });
    await expect(migrated(refused)).rejects.toThrow('the disk fails');
    refuseMigrated(dataDir);
    await migrated();
    expect(() => refuseMigrated(dataDir)).toThrow();
  });

  test('is refused for a database that has been used, or of another program', async () => {
    await (await asServer()).close();
    await expect(migrated()).rejects.toMatchObject({ code: 'already-exists' });
    url = await postgres.newDatabase();
    await query('CREATE TABLE others (id INTEGER)');
    await expect(migrated()).rejects.toMatchObject({
      code: 'database-unusable',
      message: expect.stringContaining('another program'),
    });
  });

  test('is refused if a record was changed, and PostgreSQL stays empty', async () => {
    tamper(file, `UPDATE audit_log SET body = replace(body, 'executed', 'refused')`);
    await expect(migrated()).rejects.toMatchObject({
      code: 'audit-broken',
      message: expect.stringMatching(/broken at cli \d+: /),
    });
    expect(await query("SELECT 1 AS one FROM pg_tables WHERE schemaname = 'public'")).toBeUndefined();
  });

  test('is refused without a database', async () => {
    rmSync(file);
    await expect(migrated()).rejects.toMatchObject({ code: 'database-unusable' });
    expect(existsSync(file)).toBe(false);
  });

  test.each([
    ["name = 'Ga' || char(0)", 'name of row 1 of the table outputs cannot be copied: PostgreSQL keeps no text with'],
    ["name = CAST(X'47FF' AS TEXT)", 'name of row 1 of the table outputs cannot be copied: it is no UTF-8'],
    ["name = X'4747'", 'name of row 1 of the table outputs cannot be copied: it is no text'],
    ["pulse_ms = 'long'", 'pulse_ms of row 1 of the table outputs cannot be copied: it is no whole number'],
    ['observed_at_ms = 1.5', 'observed_at_ms of row 1 of the table outputs cannot be copied: it is no whole number'],
    ['observed_at_ms = 9007199254740993', 'it is no whole number below 2^53'],
    ['pulse_ms = 3000000000', 'pulse_ms of row 1 of the table outputs cannot be copied: it is beyond 2^31'],
  ])('names the row that PostgreSQL would not take: %s', async (change, message) => {
    tamper(file, `UPDATE outputs SET ${change} WHERE rowid = 1`);
    await expect(migrated()).rejects.toMatchObject({
      code: 'database-unusable',
      message: expect.stringContaining(message),
    });
    tamper(file, "UPDATE outputs SET name = 'G\u{FFFD}te', pulse_ms = 700, observed_at_ms = 9 WHERE rowid = 1");
    const before = await original();
    await migrated(seen);
    expect(copy).toEqual(before);
  });

  test('names the row that PostgreSQL refuses, among others', async () => {
    tamper(
      file,
      "INSERT INTO device_histories VALUES ('gate', 'h2', 1, 2, 1), ('gate', hex(randomblob(9000)), 1, 3, 1)",
    );
    await expect(migrated()).rejects.toMatchObject({
      code: 'database-unusable',
      message: expect.stringContaining('PostgreSQL refuses row 3 of the table device_histories. '),
    });
  });

  test.each([
    ['left out', 'audit_log has', (rows: { values: unknown[] }[]) => rows.slice(1)],
    [
      'altered',
      'rows of audit_log differ',
      ([first, ...rest]: { values: unknown[] }[]) => [{ ...first, values: first?.values.with(3, 'x') }, ...rest],
    ],
  ])('is refused if one record was %s on the way', async (_, message, change) => {
    const lossy = (target: MigrationTarget) => ({
      append: (...[table, columns, rows, copied]: Parameters<MigrationTarget['append']>) =>
        target.append(table, columns, (table === 'audit_log' ? change(rows as never) : rows) as never, copied),
    });
    await expect(migrated(lossy)).rejects.toMatchObject({
      code: 'not-verified',
      message: expect.stringContaining(message),
    });
    refuseMigrated(dataDir);
    await expect(asServer()).rejects.toMatchObject({ code: 'migration-unfinished' });
  });

  test('is refused if its records are all there, but its chains end elsewhere', async () => {
    const cut = (target: MigrationTarget): Partial<MigrationTarget> => ({
      async *rowsOf(...args) {
        yield* target.rowsOf(...args);
        if (args[0] === 'audit_removed')
          await target.sql.run("UPDATE audit_writers SET seq = seq + 1 WHERE name = 'cli'");
      },
    });
    await expect(migrated(cut)).rejects.toMatchObject({
      code: 'not-verified',
      message: expect.stringContaining('its audit is broken at cli'),
    });
  });
});
