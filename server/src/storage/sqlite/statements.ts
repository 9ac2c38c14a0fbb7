import type { Database, Statement } from 'better-sqlite3';
import type { Sql, SqlValue, WriteConnection } from '../sql';
import { asDatabaseError, isBusy } from './sqlite';

interface Prepared {
  statement: Statement<SqlValue[], SqlValue[]>;
  /** The index of the value for each `?`; undefined: each value has one `?`, in their order. */
  order: readonly number[] | undefined;
  /** The members of a row. */
  members: readonly string[];
}

/** The port to one SQLite connection. Each text is prepared once, and kept: their number is that of the texts in the program. */
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
export function writeSqlOf(db: Database): WriteConnection {
  const sql = sqlOf(db);
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  return {
    ...sql,
    // A transaction that writes is alone from its beginning.
    async lock() {},
    async begin() {
      try {
        begin.run();
        return true;
      } catch (error) {
        if (isBusy(error)) return false;
        throw asDatabaseError(error);
      }
    },
    async commit() {
      try {
        commit.run();
      } catch (error) {
        throw asDatabaseError(error);
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
