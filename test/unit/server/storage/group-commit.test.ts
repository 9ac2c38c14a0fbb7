import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { GroupCommit, type WriteRequest } from '@relaygate/server/storage/group-commit';
import { openDatabase } from '@relaygate/server/storage/sqlite/database-file';
import { writeSqlOf } from '@relaygate/server/storage/sqlite/sqlite';
import { READS, type StorageWrite } from '@relaygate/server/storage/storage';
import { RelaygateError } from '@relaygate/shared';
import { command, outcome, product } from '../../../contract/storage/samples';

const NO_DEADLINE_MS = Number.POSITIVE_INFINITY;
let db: ReturnType<typeof openDatabase>;
let nowMs: number;
let group: GroupCommit;

beforeEach(() => {
  db = openDatabase(':memory:');
  nowMs = 100;
  group = new GroupCommit(writeSqlOf(db), 'node-1', () => nowMs);
});
afterEach(() => {
  db.close();
});

/** A client whose name fills pages of the database. */
function makeClient(id: number, deadlineMs = NO_DEADLINE_MS, nameChars = 10): WriteRequest {
  const name = `${id}`.padStart(nameChars, '0');
  const client = { clientId: `c${id}`, name, keyId: `k${id}`, keyHash: 'aa', createdAtMs: 0 };
  return { id, write: { name: 'createClient', args: [client] }, deadlineMs };
}

/** What becomes of them in a group of their own. */
async function commit(requests: readonly WriteRequest[], by = group): Promise<[number, string][]> {
  by.add(requests);
  return (await by.run()).map((answer) => [answer.id, answer.ok ? 'ok' : answer.code]);
}

test('a group is answered in its order', async () => {
  expect(await commit([makeClient(2), makeClient(1)])).toEqual([
    [2, 'ok'],
    [1, 'ok'],
  ]);
});

test('a group has 128 writes at most, and the renewal of a lease is in the first one that comes', async () => {
  const openings = Array.from({ length: 300 }, (_, n) => makeClient(n + 1));
  const renewal: WriteRequest = {
    id: 999,
    write: { name: 'renewLease', args: ['i1', 12_000] },
    deadlineMs: NO_DEADLINE_MS,
  };
  const groups = [await commit([...openings, renewal]), await commit([]), await commit([])];
  expect(groups.map((answers) => answers.length)).toEqual([128, 128, 45]);
  expect(groups.flat().map(([id]) => id)).toEqual([999, ...openings.map(({ id }) => id)]);
  expect(group.isIdle).toBe(true);
});

test('writes of commands go before others, which have room in each group all the same', async () => {
  await commit([{ id: 0, write: { name: 'createProduct', args: [product('gate')] }, deadlineMs: NO_DEADLINE_MS }]);
  const others = Array.from({ length: 200 }, (_, n) => makeClient(n + 1));
  const commands = Array.from({ length: 200 }, (_, n): WriteRequest => {
    const id = 1_000 + n;
    return { id, write: { name: 'recordCommand', args: [command(`c${id}`)] }, deadlineMs: NO_DEADLINE_MS };
  });
  const groups = [await commit([...others, ...commands]), await commit([]), await commit([]), await commit([])];
  const counts = groups.map((answers) => answers.filter(([id]) => id >= 1_000).length);
  expect([groups.map((answers) => answers.length), counts]).toEqual([
    [128, 128, 128, 16],
    [96, 96, 8, 0],
  ]);
  const ids = groups.flat().map(([id]) => id);
  for (const all of [others, commands]) {
    const own = all.map(({ id }) => id);
    expect(ids.filter((id) => own.includes(id))).toEqual(own);
  }
});

test('a group whose redo finds the lock taken is not tried together again, because its bad write would fail it again', async () => {
  const lock = [true, false, true];
  let begins = 0;
  const connection = writeSqlOf(db);
  const begin = async (): Promise<boolean> => {
    begins += 1;
    return (lock.shift() ?? true) && connection.begin();
  };
  const contested = new GroupCommit({ ...connection, begin }, 'node-1', () => nowMs);
  const bad = { ...makeClient(2), write: makeClient(1).write };
  expect(await commit([makeClient(1), bad, makeClient(3)], contested)).toEqual([]);
  expect(await commit([], contested)).toEqual([
    [1, 'ok'],
    [2, 'already-exists'],
    [3, 'ok'],
  ]);
  expect(begins).toBe(3);
  expect(await commit([makeClient(4)], contested)).toEqual([[4, 'ok']]);
});

test('a write past its deadline is refused unexecuted, the others are taken', async () => {
  expect((await commit([makeClient(1, 100), makeClient(2, 101)])).sort()).toEqual([
    [1, 'storage-unavailable'],
    [2, 'ok'],
  ]);
  expect(await READS.isKeyActive(writeSqlOf(db), { clientId: 'c1', keyId: 'k1' }, 0)).toBe(false);
  expect(await READS.isKeyActive(writeSqlOf(db), { clientId: 'c2', keyId: 'k2' }, 0)).toBe(true);
});

test('a full disk costs the whole group, nothing of it stays, and it heals by itself (T13)', async () => {
  const pages = Number(db.pragma('page_count', { simple: true }));
  db.pragma(`max_page_count = ${pages + 2}`);
  const requests = [1, 2, 3, 4].map((id) => makeClient(id, NO_DEADLINE_MS, 8_000));
  expect(await commit(requests)).toEqual([1, 2, 3, 4].map((id) => [id, 'storage-unavailable']));
  expect(await READS.listClients(writeSqlOf(db), '', 10)).toEqual([]);
  expect(db.inTransaction).toBe(false);

  db.pragma('max_page_count = 1000000');
  expect(await commit(requests)).toEqual([1, 2, 3, 4].map((id) => [id, 'ok']));
});

test('whether a commit that fails was made is not said: the disk may have it all the same (I9)', async () => {
  const written = {
    run: () => {
      db.exec('COMMIT');
      throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' });
    },
  };
  const failing = new Proxy(db, {
    get(target, name) {
      if (name !== 'prepare') return Reflect.get(target, name, target);
      return (sql: string) => (sql === 'COMMIT' ? written : target.prepare(sql));
    },
  });
  const over = new GroupCommit(writeSqlOf(failing), 'node-1', () => nowMs);
  expect(await commit([makeClient(1)], over)).toEqual([[1, 'storage-unanswered']]);
  expect(await READS.listClients(writeSqlOf(db), '', 10)).toHaveLength(1);
});

/** The statement that notes where a chain ends. */
const KEEP_HEAD = 'UPDATE audit_writers';
/** What is noted of the only writer, the second record of the registry. */
const head = () => db.prepare('SELECT seq, hash FROM audit_writers WHERE writer = 2').get();

test('the head of the audit is kept once a group, and is that of its last record', async () => {
  let kept = 0;
  const counting = new Proxy(db, {
    get(target, name) {
      if (name !== 'prepare') return Reflect.get(target, name, target);
      return (sql: string) => {
        const statement = target.prepare(sql);
        if (!sql.startsWith(KEEP_HEAD)) return statement;
        const run = (...values: unknown[]): unknown => {
          kept += 1;
          return statement.run(...values);
        };
        return { run };
      };
    },
  });
  const over = new GroupCommit(writeSqlOf(counting), 'node-1', () => nowMs);
  await commit([makeClient(9)], over);
  kept = 0;
  await commit([makeClient(1), makeClient(2), makeClient(3)], over);
  expect(kept).toBe(1);
  // The last one is undone, and the head with it.
  await commit([makeClient(4), { ...makeClient(5), write: { ...makeClient(1).write } }], over);
  expect(head()).toMatchObject({ seq: 5 });
  expect(head()).toEqual(db.prepare('SELECT seq, hash FROM audit_log WHERE writer = 2 ORDER BY seq DESC').get());
});

/** Whoever removes a record can leave the head of the audit behind: it shows that one is missing. */
describe('a write that adds no record leaves the head of the audit as it is', () => {
  const newProduct = (productLogin: string) => ({
    productId: productLogin.charCodeAt(0),
    productLogin,
    keyHash: 'aa',
    enrolmentHash: 'bb',
    activated: true,
    outputCount: 1,
    createdAtMs: 0,
  });
  const makeProducts = (...logins: string[]): WriteRequest => {
    return { id: 9, write: { name: 'createProducts', args: [logins.map(newProduct)] }, deadlineMs: NO_DEADLINE_MS };
  };
  function removeLastRecord(): void {
    db.exec('DROP TRIGGER audit_log_stay; DELETE FROM audit_log WHERE writer = 2 AND seq = 2');
    expect(head()).toMatchObject({ seq: 2 });
  }

  test('where its record is undone with it', async () => {
    await commit([makeProducts('gate')]);
    await commit([makeClient(1)]);
    removeLastRecord();
    expect(await commit([makeProducts('door', 'gate')])).toEqual([[9, 'already-exists']]);
    expect(head()).toMatchObject({ seq: 2 });
  });

  test('where the transaction before was undone after its record', async () => {
    let fails = false;
    const failing = new Proxy(db, {
      get(target, name) {
        if (name !== 'prepare') return Reflect.get(target, name, target);
        return (sql: string) => {
          if (fails && sql.startsWith(KEEP_HEAD))
            throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
          return target.prepare(sql);
        };
      },
    });
    await commit([makeProducts('gate')]);
    await commit([makeClient(1)]);
    const over = new GroupCommit(writeSqlOf(failing), 'node-1', () => nowMs);
    fails = true;
    expect(await commit([makeClient(2)], over)).toEqual([[2, 'storage-unavailable']]);
    fails = false;
    removeLastRecord();
    expect(await commit([makeProducts('gate')], over)).toEqual([[9, 'already-exists']]);
    expect(head()).toMatchObject({ seq: 2 });
  });

  test('and its neighbours of the same group get theirs', async () => {
    await commit([makeProducts('gate')]);
    expect(await commit([makeClient(1), makeProducts('door', 'gate'), makeClient(2)])).toEqual([
      [1, 'ok'],
      [9, 'already-exists'],
      [2, 'ok'],
    ]);
    expect(head()).toMatchObject({ seq: 3 });
    await commit([makeClient(3), makeProducts('door', 'gate')]);
    expect(head()).toMatchObject({ seq: 4 });
    expect(db.prepare('SELECT COUNT(*) AS n FROM audit_log WHERE writer = 2').get()).toEqual({ n: 4 });
  });
});

test('writes that break a rule are refused without harm to their neighbours', async () => {
  const twin: WriteRequest = { ...makeClient(3), write: { ...makeClient(1).write } };
  const sameKey = { clientId: 'other', name: 'other', keyId: 'k1', keyHash: 'aa', createdAtMs: 0 };
  const broken: WriteRequest = { id: 4, write: { name: 'createClient', args: [sameKey] }, deadlineMs: NO_DEADLINE_MS };
  expect(await commit([makeClient(1), twin, broken, makeClient(2)])).toEqual([
    [1, 'ok'],
    [3, 'already-exists'],
    [4, 'unknown'],
    [2, 'ok'],
  ]);
});

test('a record of the audit that cannot be written costs its own write only', async () => {
  const sql = writeSqlOf(db);
  const refusesSecond = {
    ...sql,
    sendRows: async (insert: string, rows: Parameters<typeof sql.sendRows>[1]) => {
      if (rows.some((row) => row.join().includes('"c2"'))) throw new Error('this row');
      return sql.sendRows(insert, rows);
    },
  };
  const over = new GroupCommit(refusesSecond, 'node-1', () => nowMs);
  expect(await commit([makeClient(1), makeClient(2), makeClient(3)], over)).toEqual([
    [1, 'ok'],
    [2, 'unknown'],
    [3, 'ok'],
  ]);
});

test('a group that was undone waits, all of it, if another program has taken the lock meanwhile', async () => {
  const sql = writeSqlOf(db);
  let tries = 0;
  const lockedAtSecondTry = {
    ...sql,
    begin: async () => {
      tries += 1;
      return tries === 2 ? false : sql.begin();
    },
  };
  const over = new GroupCommit(lockedAtSecondTry, 'node-1', () => nowMs);
  const twin: WriteRequest = { ...makeClient(2), write: { ...makeClient(1).write } };
  expect(await commit([makeClient(1), twin, makeClient(3)], over)).toEqual([]);
  expect(await READS.listClients(sql, '', 10)).toEqual([]);
  expect(over.isIdle).toBe(false);
  expect(await commit([makeClient(4)], over)).toEqual([
    [1, 'ok'],
    [2, 'already-exists'],
    [3, 'ok'],
    [4, 'ok'],
  ]);
  expect(over.isIdle).toBe(true);
  expect(head()).toEqual(db.prepare('SELECT seq, hash FROM audit_log WHERE writer = 2 ORDER BY seq DESC').get());
});

test('a chain goes on behind its last record, also where the rollback of the group before failed', async () => {
  const sql = writeSqlOf(db);
  const trouble = new RelaygateError('storage-unavailable', 'disk I/O error');
  let writesLeft = Number.POSITIVE_INFINITY;
  const failing = {
    ...sql,
    run: async (...[text, ...values]: Parameters<typeof sql.run>) => {
      if (text.startsWith('INSERT INTO clients')) writesLeft -= 1;
      if (writesLeft < 0) throw trouble;
      return sql.run(text, ...values);
    },
    rollback: async () => {
      await sql.rollback();
      if (writesLeft < 0) throw trouble;
    },
  };
  const over = new GroupCommit(failing, 'node-1', () => nowMs);
  await commit([makeClient(1)], over);
  writesLeft = 1;
  await expect(commit([makeClient(2), makeClient(3)], over)).rejects.toBe(trouble);
  writesLeft = 1;
  expect(await commit([makeClient(4)], over)).toEqual([[4, 'ok']]);
  expect(db.prepare('SELECT seq FROM audit_log WHERE writer = 2 ORDER BY seq').all()).toEqual([{ seq: 1 }, { seq: 2 }]);
});

/** A connection whose changes travel, and `withReads` what it reads. `most`: how many were under way at once. */
function travelling(sql: ReturnType<typeof writeSqlOf>, withReads = false) {
  let underWay = 0;
  const slow =
    <Args extends unknown[], Result>(ask: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      underWay += 1;
      travels.most = Math.max(travels.most, underWay);
      const result = await ask(...args);
      await new Promise<void>((resolve) => setImmediate(resolve));
      underWay -= 1;
      return result;
    };
  const get = withReads ? (slow(sql.get) as typeof sql.get) : sql.get;
  const slowed = { ...sql, isPipelined: true, run: slow(sql.run), get };
  const travels = { sql: slowed, most: 0 };
  return travels;
}

test('over a connection whose statements travel, outcomes share a round trip and the audit keeps the order of the writes', async () => {
  const travels = travelling(writeSqlOf(db));
  const over = new GroupCommit(travels.sql, 'node-1', () => nowMs);
  const requests = (...writes: StorageWrite[]): WriteRequest[] =>
    writes.map((write, id) => ({ id, write, deadlineMs: NO_DEADLINE_MS }));
  const record = (id: string): StorageWrite => ({ name: 'recordCommand', args: [command(id)] });
  const resolve = (id: string): StorageWrite => ({ name: 'recordOutcome', args: [outcome(id)] });
  await commit(requests({ name: 'createProduct', args: [product('gate')] }), over);
  await commit(requests(record('c1'), record('c2')), over);
  over.add(requests(resolve('c1'), record('c3'), resolve('c2'), resolve('c3'), resolve('c1')));
  const values = (await over.run()).map((answer) => answer.ok && answer.value);
  expect(values).toEqual([true, true, true, true, false]);
  expect(travels.most).toBe(3);
  const bodies = db.prepare<[], string>('SELECT body FROM audit_log WHERE writer = 2 ORDER BY seq').pluck().all();
  expect(bodies.map((body) => /"(c\d)"/.exec(body)?.[1])).toEqual([undefined, 'c1', 'c2', 'c1', 'c3', 'c2', 'c3']);
  const revisions = db.prepare('SELECT COUNT(DISTINCT revision) AS n FROM commands').get();
  expect(revisions).toEqual({ n: 3 });
});

test('over such a connection links of many devices open at once, and what is about one device keeps its order', async () => {
  const travels = travelling(writeSqlOf(db), true);
  const over = new GroupCommit(travels.sql, 'node-1', () => nowMs);
  const write = async (...writes: StorageWrite[]): Promise<unknown[]> => {
    over.add(writes.map((write, id) => ({ id, write, deadlineMs: NO_DEADLINE_MS })));
    return (await over.run()).map((answer) => answer.ok && answer.value);
  };
  const gates = ['gate-1', 'gate-2', 'gate-3', 'gate-4'];
  for (const gate of gates) {
    await write({ name: 'createProduct', args: [product(gate)] });
    await write({ name: 'enrolDevice', args: [gate, 'key', product(gate).enrolmentHash, 1] });
  }
  travels.most = 0;
  const opening = { publicKey: 'key', bootId: 'b', agentVersion: '1', instanceId: 'i', atMs: 1 };
  const open = (gate: string): StorageWrite => ({ name: 'openLink', args: [gate, opening] });
  const close = (gate: string, epoch: number): StorageWrite => ({ name: 'closeLink', args: [gate, epoch, 2] });
  const about = [...gates.map(open), close('gate-1', 1), open('gate-1'), close('gate-2', 1)];
  expect(await write(...about)).toEqual([1, 1, 1, 1, undefined, 2, undefined]);
  expect(travels.most).toBe(4);
  const connected = db.prepare('SELECT connected FROM products ORDER BY product_login').pluck().all();
  expect(connected).toEqual([1, 0, 1, 1]);
});
