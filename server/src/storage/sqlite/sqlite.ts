import { createRequire } from 'node:module';
import { RelaygateError, type WallClock } from '@relaygate/shared';
import { systemWallClock } from '@relaygate/shared/system';
import type BetterSqlite3 from 'better-sqlite3';
import type { Database, Statement } from 'better-sqlite3';
import { codeOf, messageOf } from '../../foreign-error';
import type { Sql, SqlValue, WriteConnection } from '../sql';
import { asStorageError } from '../sql';

type Driver = typeof BetterSqlite3;

/** The first Node that better-sqlite3 13 is for. */
const FIRST_NODE = 22;
/**
 * The better-sqlite3 that fits this Node: 13 ends Node 20 with a segmentation fault, and 12, compiled for Node 24.19 or newer,
 * ends that one when it collects a statement as garbage.
 */
const PACKAGE = Number(process.versions.node.split('.')[0]) >= FIRST_NODE ? 'better-sqlite3' : 'better-sqlite3-12';

/** Codes of errors if the package is missing, or its compiled part, which is loaded with the first database. */
const NOT_LOADED = new Set(['MODULE_NOT_FOUND', 'ERR_DLOPEN_FAILED']);
const NO_COMPILED_PART = 'Could not locate the bindings file';

/** Fails with `database-unusable` where the driver does not load, and as better-sqlite3 does. */
export function openSqlite(...args: ConstructorParameters<Driver>): BetterSqlite3.Database {
  try {
    const require = createRequire(__filename);
    const Database: Driver = require(PACKAGE);
    const db = new Database(...args);
    return withWallClock(db, systemWallClock);
  } catch (cause) {
    if (!NOT_LOADED.has(codeOf(cause) ?? '') && !messageOf(cause).startsWith(NO_COMPILED_PART)) throw cause;
    const [why] = messageOf(cause).split('\n', 1);
    const what = `${PACKAGE}, which Node ${process.versions.node} needs, does not load: ${why}`;
    const cure = 'Use Node 24; or install make, g++ and python3, then run "npm ci" again.';
    throw new RelaygateError('database-unusable', `${what}. ${cure}`, { cause });
  }
}

/** The same connection, whose `now_ms()` is this clock from then on. */
export function withWallClock(db: BetterSqlite3.Database, wallClock: WallClock): BetterSqlite3.Database {
  return db.function('now_ms', () => wallClock.epochMs());
}

/** Another connection, perhaps of another process, holds the lock. */
export function isBusy(error: unknown): boolean {
  return codeOf(error)?.startsWith('SQLITE_BUSY') ?? false;
}

export function isFull(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_FULL';
}

/** What an error of the driver is to the callers of the port: trouble of the database as a whole, or of one statement. */
export function asDatabaseError(error: unknown): RelaygateError {
  if (!isTroubleOfDatabase(error)) return asStorageError(error);
  return new RelaygateError('storage-unavailable', `The database did not do it: ${messageOf(error)}.`, {
    cause: error,
  });
}

/** True if the rest of the transaction would fail too. */
function isTroubleOfDatabase(error: unknown): boolean {
  const code = codeOf(error) ?? '';
  return (code.startsWith('SQLITE_') && !code.startsWith('SQLITE_CONSTRAINT')) || isClosed(error);
}

/** better-sqlite3 gives this error no code. */
function isClosed(error: unknown): boolean {
  return messageOf(error).includes('connection is not open');
}

interface Prepared {
  statement: Statement<SqlValue[], SqlValue[]>;
  /** The index of the value for each `?`; undefined: each value has one `?`, in their order. */
  order: readonly number[] | undefined;
  /** The members of a row. */
  members: readonly string[];
}

/** The port to one SQLite connection. Prepares each text once and keeps the statement: there are as many as texts in the program. */
export function sqlOf(db: Database): Sql {
  const known = new Map<string, Prepared>();
  const prepare = (text: string): Prepared => {
    const prepared = preparedBy(db, text);
    known.set(text, prepared);
    return prepared;
  };
  return {
    async get<Row>(text: string, ...values: SqlValue[]) {
      try {
        const { statement, order, members } = known.get(text) ?? prepare(text);
        const row = statement.get(...(order ? inOrder(values, order) : values));
        return row && rowOf<Row>(members, row);
      } catch (error) {
        throw asDatabaseError(error);
      }
    },
    async all<Row>(text: string, ...values: SqlValue[]) {
      try {
        const { statement, order, members } = known.get(text) ?? prepare(text);
        return statement.all(...(order ? inOrder(values, order) : values)).map((row) => rowOf<Row>(members, row));
      } catch (error) {
        throw asDatabaseError(error);
      }
    },
    async run(text, ...values) {
      try {
        const { statement, order } = known.get(text) ?? prepare(text);
        return statement.run(...(order ? inOrder(values, order) : values)).changes;
      } catch (error) {
        throw asDatabaseError(error);
      }
    },
  };
}

/** The same for a connection that writes. */
export function writeSqlOf(db: Database, begun: () => void = () => {}): WriteConnection {
  const sql = sqlOf(db);
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  return {
    ...sql,
    send: sql.run,
    async sendRows(insert, rows) {
      for (const row of rows) await sql.run(insert, ...row);
    },
    // A transaction that writes is alone from its beginning.
    async lock() {},
    async begin() {
      try {
        begin.run();
      } catch (error) {
        if (isBusy(error)) return false;
        throw asDatabaseError(error);
      }
      begun();
      return true;
    },
    async commit() {
      try {
        commit.run();
      } catch (cause) {
        // It may be whole on the disk; then the next recovery of the file makes it valid.
        throw new RelaygateError('storage-unanswered', asDatabaseError(cause).message, { cause });
      }
    },
    async rollback() {
      // SQLite has rolled back by itself already if it had to.
      if (db.inTransaction) await sql.run('ROLLBACK');
    },
  };
}

function preparedBy(db: Database, text: string): Prepared {
  const order: number[] = [];
  const named = text.replace(/\$(\d+)/g, (_, n) => {
    order.push(Number(n) - 1);
    return '?';
  });
  const statement = db.prepare<SqlValue[], SqlValue[]>(named);
  const members = statement.reader ? statement.columns().map(({ name }) => camelCase(name)) : [];
  if (statement.reader) statement.raw();
  return { statement, order: order.every((n, index) => n === index) ? undefined : order, members };
}

function camelCase(column: string): string {
  return column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function inOrder(values: readonly SqlValue[], order: readonly number[]): SqlValue[] {
  return order.map((n) => values[n] ?? null);
}

/** The caller knows the columns of its statement. */
function rowOf<Row>(members: readonly string[], values: readonly SqlValue[]): Row {
  const row: Record<string, SqlValue> = {};
  members.forEach((member, n) => {
    row[member] = values[n] ?? null;
  });
  return row as Row;
}
