import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { separateDatabase } from '@relaygate/server/copies/separate-database';
import { KeptSession } from '@relaygate/server/storage/postgresql/kept-session';
import { ADVISORY, LOCKS } from '@relaygate/server/storage/postgresql/locks';
import {
  openPostgresStorage,
  type PostgresStorageOptions,
} from '@relaygate/server/storage/postgresql/postgres-storage';
import { Session } from '@relaygate/server/storage/postgresql/session';
import { writeConnection } from '@relaygate/server/storage/postgresql/write-session';
import { openDatabase } from '@relaygate/server/storage/sqlite/database-file';
import type { Storage } from '@relaygate/server/storage/storage';
import { systemClock, systemRandomness } from '@relaygate/shared/system';
import { describeWhere } from '../../support/processes/needs';
import { CuttingProxy } from '../../support/server/cutting-proxy';
import { missingPostgres, PostgresServer } from '../../support/server/postgres-server';
import { expectWithin, timed } from '../../support/time/timed';
import { eventually, found, pause } from '../../support/time/waiting';
import { firstFault } from './first-fault';
import { client, keyOf, NOW_MS, product, withAppAndGate, withLinkedGate } from './samples';

/** A write's own second, and how long a server may be silent before it is given up, and some. */
const GIVEN_UP_MS = 6_000;
/** A read's second, and some. */
const READ_MS = 1_500;
const UNAVAILABLE = expect.objectContaining({ code: 'storage-unavailable' });
const UNANSWERED = expect.objectContaining({ code: 'storage-unanswered' });

describeWhere(missingPostgres())('PostgreSQL', () => {
  let server: PostgresServer;
  let proxy: CuttingProxy;
  let url: string;
  const open: Storage[] = [];

  beforeAll(async () => {
    // A deadlock is found before the wait for a lock ends.
    const transactions = { default_transaction_isolation: 'serializable' };
    // What no commit has written to the disk is lost in a crash.
    const lazy = { wal_writer_delay: '10s' };
    server = await PostgresServer.start({ deadlock_timeout: '1ms', max_connections: '150', ...transactions, ...lazy });
  });
  afterAll(() => server.remove());
  beforeEach(async () => {
    url = await server.newDatabase();
    proxy = await CuttingProxy.start(server.port);
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((storage) => storage.close()));
    await proxy.stop();
  });

  async function opened(options: Partial<PostgresStorageOptions> = {}): Promise<Storage> {
    const storage = await openPostgresStorage({ url, writerName: 'node-1', isServer: true, ...options });
    open.push(storage);
    return storage;
  }
  const asCommand = (): Promise<Storage> => opened({ writerName: 'cli', isServer: false });
  const query = (text: string) => server.query(new URL(url).pathname.slice(1), text);
  const isThere = (storage: Storage, id: string) => storage.isKeyActive(keyOf(id), NOW_MS);
  const failureOf = (running: Promise<unknown>) =>
    running.then(
      () => 'done',
      (error: unknown) => error,
    );
  /** The process of the server's connection that writes. */
  const writer = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = 3 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  /** It writes and reads. */
  const works = (storage: Storage) =>
    eventually(async () => {
      const both = [failureOf(storage.probe()), failureOf(storage.lastSweepMs())];
      return (await Promise.all(both)).every((failure) => failure === 'done');
    }, 20_000);

  /** A command as it is shipped: it looks whether the database is another one than before. */
  const asShipped = (): Promise<Storage> => {
    const machine = { atMs: NOW_MS, clock: systemClock, randomness: systemRandomness };
    const beforeWrites = async (session: Session): Promise<void> =>
      void (await separateDatabase(session, { writerName: 'cli', ...machine }));
    return opened({ writerName: 'cli', isServer: false, beforeWrites });
  };

  test('ten programs that start at once on an empty database share it', async () => {
    const storages = await Promise.all(Array.from({ length: 10 }, asShipped));
    await Promise.all(storages.map((storage, n) => storage.createClient(client(`c${n}`))));
    expect(await storages[0]?.listClients('', 20)).toHaveLength(10);
    expect(await firstFault(await asCommand())).toBeUndefined();
  });

  test('a start on a database that another program is writing to waits for it', async () => {
    await (await asCommand()).close();
    const other = await Session.open({ url, name: 'other', clock: systemClock });
    await other.ask('BEGIN');
    await other.ask(`SELECT ${ADVISORY.transaction}`, [...LOCKS.writers]);
    const starting = asShipped();
    await new Promise<void>((resolve) => void systemClock.after(500, resolve));
    await other.close();
    await starting;
  });

  test('a COMMIT that no synchronous standby has taken is not told as done', async () => {
    const storage = await opened();
    const reload = 'SELECT pg_reload_conf()';
    await server.query('postgres', "ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    await server.query('postgres', reload);
    try {
      expect(await failureOf(storage.createClient(client('app')))).toEqual(UNANSWERED);
    } finally {
      await server.query('postgres', 'ALTER SYSTEM RESET synchronous_standby_names');
      await server.query('postgres', reload);
    }
  });

  test('one server at a time has a database, and commands work beside it', async () => {
    const first = await opened();
    await expect(opened({ writerName: 'node-2' })).rejects.toMatchObject({
      code: 'already-running',
      message: expect.stringContaining('relaygate node-1'),
    });
    await (await asCommand()).createClient(client('app'));
    expect(await isThere(first, 'app')).toBe(true);
    await first.close();
    await opened({ writerName: 'node-2' });
  });

  test('a database of a newer program, of another program, or of another encoding is left alone', async () => {
    await (await opened()).close();
    await query('UPDATE installation SET version = version + 1, usable_from = version + 1');
    await expect(opened()).rejects.toMatchObject({ code: 'database-too-new' });
    url = await server.newDatabase();
    await query('CREATE TABLE theirs (id INTEGER)');
    await expect(opened()).rejects.toMatchObject({
      code: 'database-unusable',
      message: expect.stringContaining('another program'),
    });
    await server.query('postgres', "CREATE DATABASE latin ENCODING 'SQL_ASCII' TEMPLATE template0");
    await expect(opened({ url: server.url('latin') })).rejects.toMatchObject({
      message: expect.stringContaining('UTF8'),
    });
  });

  test('a command does not make the tables unless it may', async () => {
    const options = { isServer: false, mustExist: true };
    await expect(opened(options)).rejects.toMatchObject({
      code: 'database-unusable',
      message: expect.stringContaining('empty'),
    });
    await opened();
    await opened(options);
  });

  test('neither a wrong address nor a server that is away shows the password', async () => {
    const wrong = ['[/x', 'h/x?sslrootcert=/no/such/file', 'db.example.com/x'].map(
      (rest) => `postgresql://relay:secret-1@${rest}`,
    );
    for (const text of wrong) {
      const error = await failureOf(opened({ url: text }));
      expect(error).toMatchObject({ code: 'bad-setting' });
      expect(JSON.stringify([error, String(error), (error as Error).cause ?? null])).not.toContain('secret-1');
    }
    const away = await failureOf(opened({ url: 'postgresql://relay:secret-1@127.0.0.1:1/x' }));
    expect(away).toMatchObject({
      code: 'database-unusable',
      message: expect.stringContaining('127.0.0.1:1, database x'),
    });
    expect(String(away)).not.toContain('secret-1');
  });

  test('has the tables, the columns and the indexes that SQLite has', async () => {
    await opened();
    const columns = await query(`SELECT table_name, column_name FROM information_schema.columns
      WHERE table_schema = 'public' AND table_name NOT IN ('installation', 'crash_mark')`);
    const indexes = await query(
      "SELECT indexname FROM pg_indexes WHERE schemaname = 'public' AND indexname ~ '_(by|open|superseded)'",
    );
    const db = openDatabase(':memory:');
    const theirs = db
      .prepare(`SELECT m.name AS table_name, c.name AS column_name
      FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c WHERE m.type = 'table' AND m.name <> 'location'`)
      .all();
    const theirIndexes = db
      .prepare("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
      .pluck()
      .all();
    db.close();
    const sorted = (rows: unknown[]) => rows.map((row) => Object.values(row as object).join('.')).sort();
    expect(sorted(columns)).toEqual(sorted(theirs));
    expect(sorted(indexes)).toEqual([...theirIndexes].sort());
  });

  test('records of the audit are neither changed nor removed, and verify sees that something could', async () => {
    const storage = await opened();
    await withAppAndGate(storage);
    for (const text of ['DELETE FROM audit_log', 'UPDATE audit_log SET seq = 9', 'TRUNCATE audit_log'])
      await expect(query(text)).rejects.toThrow(/never/);
    expect(await storage.auditStoreFaults()).toEqual([]);
    await query('ALTER TABLE audit_log DISABLE TRIGGER audit_log_keep');
    expect(await storage.auditStoreFaults()).toEqual([expect.stringContaining('gone or changed')]);
    await query('ALTER TABLE audit_log ENABLE TRIGGER audit_log_keep');
    await query(
      'CREATE OR REPLACE FUNCTION audit_log_keep() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN NEW; END$$',
    );
    expect(await storage.auditStoreFaults()).toEqual([expect.stringContaining('gone or changed')]);
    await query('CREATE RULE gone AS ON INSERT TO clients DO INSTEAD NOTHING');
    expect(await storage.auditStoreFaults()).toHaveLength(2);
  });

  test('a text with the character NUL is refused with a clear error, and alone', async () => {
    const storage = await opened();
    const made = ['one', 'a\0b', 'two'].map((id) => failureOf(storage.createClient(client(id))));
    const [one, nul, two] = await Promise.all(made);
    expect([one, two]).toEqual(['done', 'done']);
    expect(nul).toMatchObject({ code: 'unknown', message: expect.stringContaining('NUL') });
  });

  test.each([
    ['is not answered', 'done', true],
    ['is lost', UNAVAILABLE, false],
  ] as const)('where a COMMIT %s, it is looked up before anybody is told', async (fate, told, isKept) => {
    const storage = await opened({ url: proxy.through(url) });
    await withAppAndGate(storage);
    proxy.commit = fate;
    expect(await failureOf(storage.createClient(client('late')))).toEqual(told);
    expect(await isThere(storage, 'late')).toBe(isKept);
    await works(storage);
    expect(await firstFault(storage)).toBeUndefined();
  });

  test('where a COMMIT is not answered and nobody can be asked, it is not known', async () => {
    const storage = await opened({ url: proxy.through(url) });
    proxy.isClosed = true;
    proxy.commit = 'is not answered';
    const { answer, ...times } = await timed(failureOf(storage.createClient(client('late'))));
    expect(answer).toEqual(UNANSWERED);
    expectWithin(times, GIVEN_UP_MS);
    proxy.isClosed = false;
    await works(storage);
    expect(await isThere(storage, 'late')).toBe(true);
  });

  test('each statement sees what was committed before it, whatever the database has as its default', async () => {
    const session = await Session.open({ url, name: 'node-1', clock: systemClock });
    await session.script('BEGIN');
    expect((await session.ask("SELECT current_setting('transaction_isolation')")).rows).toEqual([['read committed']]);
    await session.close();
  });

  test('a node that is frozen inside a transaction holds up the writes of others for less than their second', async () => {
    const storage = await opened();
    const frozen = await Session.open({ url, name: 'node-2', clock: systemClock });
    await frozen.script('BEGIN');
    await frozen.ask(`SELECT ${ADVISORY.transaction}`, LOCKS.writers);
    await storage.createClient(client('app'));
    frozen.kill('the test ends');
  });

  test('a deadlock with a stranger costs time only', async () => {
    const storage = await opened();
    await storage.createProducts(['a', 'b', 'c'].map((login, n) => product(login, { productId: n + 1 })));
    await query(`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM pg_sleep(0.2); RETURN NEW; END$$;
      CREATE TRIGGER slow BEFORE UPDATE ON outputs FOR EACH ROW EXECUTE FUNCTION slow()`);
    const stranger = await Session.open({ url, name: 'stranger', clock: systemClock });
    await stranger.script(
      "SET lock_timeout = 0; SET deadlock_timeout = '9s'; BEGIN; UPDATE products SET key_hash = 'x' WHERE product_login = 'b'",
    );
    const writes = [
      storage.setProductActivated('a', false, NOW_MS),
      storage.setOutputActivated('c', 0, false, NOW_MS),
      storage.setProductActivated('b', false, NOW_MS),
    ];
    await eventually(
      async () => (await query("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'")).length > 0,
    );
    await stranger.script("UPDATE products SET key_hash = 'x' WHERE product_login = 'a'; COMMIT");
    expect(await Promise.all(writes)).toEqual([true, 'done', true]);
    await stranger.close();
    const deadlocks = 'SELECT deadlocks::int AS n FROM pg_stat_database WHERE datname = current_database()';
    await eventually(async () => {
      // PostgreSQL counts when the connection that noticed it is used again.
      await storage.probe();
      return Number((await query(deadlocks))[0]?.n) > 0;
    });
  });

  test('while a stranger holds all writes up, each is refused after its second, and reads go on', async () => {
    const storage = await opened();
    await storage.createClient(client('app'));
    const stranger = await Session.open({ url, name: 'stranger', clock: systemClock });
    await stranger.script('SET idle_in_transaction_session_timeout = 0; BEGIN; LOCK TABLE clients IN EXCLUSIVE MODE');
    const refused = timed(failureOf(storage.createClient(client('late'))));
    expect(await isThere(storage, 'app')).toBe(true);
    const { answer, ...times } = await refused;
    expect(answer).toEqual(UNAVAILABLE);
    expect(times.tookMs).toBeGreaterThan(900);
    expectWithin(times, 2_500);
    await stranger.close();
    await storage.createClient(client('late'));
  });

  test.each<[string, string, number, (storage: Storage) => Promise<unknown>]>([
    ['a row that has waited for its table for some milliseconds', 'key_release', 20, (storage) => storage.keyTurns()],
    ['a list that waits for its table', 'nodes', 0, (storage) => storage.livingNodes()],
  ])('a row is read beside %s', async (_what, table, afterMs, slow) => {
    const storage = await opened();
    await storage.createClient(client('app'));
    const stranger = await Session.open({ url, name: 'stranger', clock: systemClock });
    await stranger.script(`BEGIN; LOCK TABLE ${table}`);
    const waiting = failureOf(slow(storage));
    await pause(afterMs);
    const read = await timed(isThere(storage, 'app'));
    expect(read.answer).toBe(true);
    // A statement waits 250 ms for a lock.
    expectWithin(read, 150);
    await stranger.close();
    expect(await waiting).toBe('done');
  });

  test('a connection that the server ends is opened again, and the server stays the only one', async () => {
    const storage = await opened();
    await query(`SELECT pg_terminate_backend(pid) FROM (${writer}) AS writers`);
    await works(storage);
    await query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'relaygate node-1'");
    expect(await isThere(storage, 'app')).toBe(false);
    await works(storage);
    await expect(opened({ writerName: 'node-2' })).rejects.toMatchObject({ code: 'already-running' });
  });

  test('a server writes no more once another one has had the database', async () => {
    const first = await opened({ url: proxy.through(url) });
    proxy.isClosed = true;
    proxy.cutAll();
    const second = await opened({ writerName: 'node-2' });
    await second.createClient(client('app'));
    await second.close();
    proxy.isClosed = false;
    await eventually(async () => /meanwhile/.test(String(await failureOf(first.probe()))), 20_000);
    expect(await isThere(first, 'app')).toBe(true);
    expect(await failureOf(first.createClient(client('late')))).toEqual(UNAVAILABLE);
  });

  test('a database that takes no writes any more refuses them, and heals', async () => {
    const storage = await opened();
    const readOnly = async (value: string): Promise<void> => {
      await query(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
      await query('SELECT pg_reload_conf()');
    };
    await readOnly('on');
    await eventually(async () => /read-only/.test(String(await failureOf(storage.probe()))), 20_000);
    await expect(opened()).rejects.toMatchObject({
      code: 'database-unusable',
      message: expect.stringContaining('read-only'),
    });
    await readOnly('off');
    await works(storage);
  });

  test('a database that a dump was restored into is another one, and gets numbers far ahead', async () => {
    const separated: boolean[] = [];
    const beforeWrites = async (session: Session): Promise<void> => {
      const deps = { writerName: 'node-1', atMs: NOW_MS, clock: systemClock, randomness: systemRandomness };
      separated.push(await separateDatabase(session, deps));
    };
    const storage = await opened({ beforeWrites });
    await withLinkedGate(storage);
    await storage.close();
    await (await opened({ beforeWrites })).close();
    url = await server.restored(url);
    const copy = await opened({ beforeWrites });
    expect(separated).toEqual([false, false, true]);
    expect(
      await copy.openLink('gate', {
        publicKey: 'public-1',
        bootId: 'b',
        agentVersion: '1',
        instanceId: 'i',
        atMs: NOW_MS,
      }),
    ).toBeGreaterThan(1_000_000);
    expect(await firstFault(copy)).toBeUndefined();
  });

  // These stop the server, so they come last.
  test('what was acknowledged before the server was killed is there, and writes go on after it is back (I8)', async () => {
    const storage = await opened();
    const made: string[] = [];
    const makeSome = async (prefix: string): Promise<void> => {
      for (let n = 0; n < 100_000; n += 1) {
        if ((await failureOf(storage.createClient(client(`${prefix}${n}`)))) !== 'done') return;
        made.push(`${prefix}${n}`);
      }
    };
    const makers = ['a', 'b', 'c'].map(makeSome);
    await eventually(() => made.length > 100);
    await server.stop('SIGQUIT');
    await Promise.all(makers);
    const { answer, ...times } = await timed(failureOf(storage.createClient(client('late'))));
    expect(answer).toEqual(UNAVAILABLE);
    expectWithin(times, 2_500);
    expect(await failureOf(isThere(storage, 'late'))).toEqual(UNAVAILABLE);
    await server.resume();
    await works(storage);
    const missing: string[] = [];
    for (const id of made) if (!(await isThere(storage, id))) missing.push(id);
    expect(missing).toEqual([]);
    expect(await firstFault(storage)).toBeUndefined();
  });

  test("after a crash the number of a lost transaction is another one's, so what was lost is not told as done (I8)", async () => {
    await opened();
    const kept = await KeptSession.open({
      open: () => Session.open({ url, name: 'in doubt', clock: systemClock }),
      clock: systemClock,
      randomness: systemRandomness,
    });
    const sql = writeConnection(kept, systemClock);
    // What reached the disk before the crash keeps its number: a commit beside it, or the log's writer, takes it there.
    const givenAnew = async (): Promise<true | undefined> => {
      await sql.begin();
      await sql.run('UPDATE write_probe SET probes = 99');
      const lost = await sql.get<{ id: string }>('SELECT txid_current()::text AS id');
      await server.stop('SIGQUIT');
      await server.resume();
      await eventually(async () => {
        const [given] = await query('SELECT txid_current()::text AS id');
        return BigInt((given as { id: string }).id) > BigInt(lost?.id ?? 0);
      });
      const [told] = await query(`SELECT txid_status(${lost?.id}::bigint) AS outcome`);
      if (told?.outcome === 'committed') return true;
      await failureOf(sql.rollback());
      return undefined;
    };
    await found(givenAnew);
    expect(await failureOf(sql.commit())).toEqual(UNANSWERED);
    expect(await query('SELECT probes FROM write_probe')).not.toEqual([{ probes: '99' }]);
    await sql.rollback();
    await kept.close();
  });

  test('a frozen server is given up in time, and writes go on when it is back', async () => {
    const storage = await opened();
    await storage.createClient(client('app'));
    server.freeze();
    const [written, read] = await Promise.all([
      timed(failureOf(storage.createClient(client('late')))),
      timed(failureOf(isThere(storage, 'app'))),
    ]);
    server.thaw();
    expect([UNAVAILABLE, UNANSWERED]).toContainEqual(written.answer);
    expect(read.answer).toEqual(UNAVAILABLE);
    expectWithin(written, GIVEN_UP_MS);
    // A command waits for it.
    expectWithin(read, READ_MS);
    await works(storage);
    await storage.createClient(client('later'));
    expect(await firstFault(storage)).toBeUndefined();
  });

  test('a standby is not opened', async () => {
    const standby = await server.standby();
    try {
      await expect(opened({ url: standby.url('postgres') })).rejects.toMatchObject({
        code: 'database-unusable',
        message: expect.stringContaining('standby'),
      });
    } finally {
      await standby.remove();
    }
  });
});
