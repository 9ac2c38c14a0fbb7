import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { GroupCommit } from '@relaygate/server/storage/group-commit';
import type { WriteConnection } from '@relaygate/server/storage/sql';
import { openDatabase } from '@relaygate/server/storage/sqlite/database-file';
import { writeSqlOf } from '@relaygate/server/storage/sqlite/sqlite';
import { READS, type StorageWrite, type WriteName } from '@relaygate/server/storage/storage';
import { report } from '../../../contract/storage/samples';

/**
 * An engine whose transactions run beside each other, as SQLite's never do: the statements of one come between those of another,
 * and only locks keep them apart. It undoes nothing.
 */
class ConcurrentEngine {
  readonly #db: ReturnType<typeof openDatabase>;
  readonly #held = new Map<string, Promise<void>>();

  constructor(db: ReturnType<typeof openDatabase>) {
    this.#db = db;
  }

  isLocked(name: string): boolean {
    return this.#held.has(name);
  }

  /** `pause`: what else happens before the statement that begins so. */
  connect(pause?: { before: string; until: () => Promise<unknown> }): WriteConnection {
    const sql = writeSqlOf(this.#db);
    const mine = new Map<string, () => void>();
    const end = async () => {
      for (const release of mine.values()) release();
      mine.clear();
    };
    return {
      ...sql,
      get: async (text, ...values) => {
        if (pause && text.startsWith(pause.before)) await pause.until();
        return sql.get(text, ...values);
      },
      run: async (text, ...values) => {
        if (pause && text.startsWith(pause.before)) await pause.until();
        return sql.run(text, ...values);
      },
      send: async (text, ...values) => {
        if (pause && text.startsWith(pause.before)) await pause.until();
        return sql.run(text, ...values);
      },
      lock: async (name) => {
        if (mine.has(name)) return;
        for (let held = this.#held.get(name); held; held = this.#held.get(name)) await held;
        const released = new Promise<void>((resolve) => {
          mine.set(name, () => {
            this.#held.delete(name);
            resolve();
          });
        });
        this.#held.set(name, released);
      },
      begin: async () => true,
      commit: end,
      rollback: end,
    };
  }
}

let db: ReturnType<typeof openDatabase>;
let engine: ConcurrentEngine;

beforeEach(async () => {
  db = openDatabase(':memory:');
  engine = new ConcurrentEngine(db);
  await write(program('setup'), 'createProducts', ['door', 'gate'].map(product));
});
afterEach(() => {
  db.close();
});

function program(writerName: string, connection = engine.connect(), actor?: string): GroupCommit {
  return new GroupCommit(connection, writerName, () => 0, actor);
}

async function write<Name extends WriteName>(
  by: GroupCommit,
  name: Name,
  ...args: Extract<StorageWrite, { name: Name }>['args']
): Promise<unknown> {
  by.add([{ id: 0, write: { name, args } as StorageWrite, deadlineMs: 1 }]);
  const [answer] = await by.run();
  if (!answer?.ok) throw new Error(answer?.message);
  return answer.value;
}

function product(productLogin: string, index: number) {
  const hashes = { keyHash: 'aa', enrolmentHash: `code of ${productLogin}` };
  return { productId: index + 1, productLogin, ...hashes, activated: true, outputCount: 1, createdAtMs: 0 };
}

async function openLink(by: GroupCommit, productLogin: string): Promise<unknown> {
  await write(by, 'enrolDevice', productLogin, 'key', `code of ${productLogin}`, 0);
  const opening = { publicKey: 'key', bootId: 'boot', agentVersion: '1', instanceId: 'one', atMs: 0 };
  return write(by, 'openLink', productLogin, opening);
}

/** Who changed rows, with which numbers. */
const revisions = () =>
  db.prepare('SELECT revised_by, revision FROM products UNION ALL SELECT revised_by, revision FROM outputs').all();

test('two programs that write under one name never give one number twice', async () => {
  const [one, other] = [program('cli'), program('cli')];
  await write(one, 'setProductActivated', 'gate', false, 0);
  await Promise.all([
    write(one, 'setProductActivated', 'gate', true, 0),
    write(other, 'setProductActivated', 'door', false, 0),
  ]);
  expect(new Set(revisions().map((row) => JSON.stringify(row))).size).toBe(4);
});

test('a new writer gets its number alone', async () => {
  let isAlone = false;
  const pause = {
    before: 'INSERT INTO revision_writers',
    until: async () => {
      isAlone = engine.isLocked('revision writers');
    },
  };
  await write(program('node-1', engine.connect(pause)), 'setProductActivated', 'gate', false, 0);
  expect(isAlone).toBe(true);
});

test('a link that opens while all are closed takes none of the numbers that come next', async () => {
  const other = program('node-2');
  await openLink(other, 'gate');
  await write(other, 'enrolDevice', 'door', 'key', 'code of door', 0);
  const pause = { before: 'UPDATE products SET\n    connected = 0', until: () => openLink(other, 'door') };
  const closing = program('node-1', engine.connect(pause));
  await write(closing, 'closeAllLinks');
  await write(closing, 'setOutputActivated', 'gate', 0, false, 0);
  expect(new Set(revisions().map((row) => JSON.stringify(row))).size).toBe(4);
});

test('a report of a superseded link leaves what the newer link reported (I12)', async () => {
  const named = (name: string) => report({ outputs: [{ numOutput: 0, name, mode: 'on-off', state: 0, pulseMs: 500 }] });
  const newer = program('node-2');
  const pause = {
    before: 'UPDATE outputs SET name',
    until: async () => {
      await openLink(newer, 'gate');
      await write(newer, 'saveReport', 'gate', 2, named('New'));
    },
  };
  await openLink(newer, 'gate');
  const older = program('node-1', engine.connect(pause));
  const repeated = { noInputs: true, faults: true, settingsOf: [] };
  await write(older, 'saveReport', 'gate', 1, { ...named('Old'), repeated });
  const [output] = (await READS.findProduct(engine.connect(), 'gate'))?.outputs ?? [];
  expect(output).toMatchObject({ name: 'New', version: { epoch: 2 } });
});

test('a report of a superseded link leaves the inputs of the newer one (I12)', async () => {
  const withContact = (state: string) => report({ inputs: [{ numInput: 0, name: 'Gate', kind: 'contact', state }] });
  const newer = program('node-2');
  const pause = {
    before: 'UPDATE products SET inputs',
    until: async () => {
      await openLink(newer, 'gate');
      await write(newer, 'saveReport', 'gate', 2, withContact('open'));
    },
  };
  await openLink(newer, 'gate');
  const older = program('node-1', engine.connect(pause));
  const repeated = { noInputs: false, faults: true, settingsOf: [] };
  await write(older, 'saveReport', 'gate', 1, { ...withContact('closed'), repeated });
  expect((await READS.findProduct(engine.connect(), 'gate'))?.inputs).toMatchObject([{ state: 'open' }]);
});

test('of two programs that erase a person at once, one does and records it', async () => {
  await write(program('cli', undefined, 'cli as ana'), 'setProductActivated', 'gate', false, 0);
  const counts = await Promise.all(['cli', 'other'].map((name) => write(program(name), 'erasePerson', 'ana', 0)));
  expect(counts.sort()).toEqual([0, 1]);
  expect(db.prepare("SELECT body FROM audit_log WHERE kind = 'name-erased'").all()).toHaveLength(1);
});
