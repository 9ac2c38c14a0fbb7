import { existsSync } from 'node:fs';
import { RelaygateError } from '@relaygate/shared';
import type { Database } from 'better-sqlite3';
import { databaseFile } from '../files/data-folder';
import type { Sql, SqlValue } from '../storage/sql';
import { lockDataFolder } from '../storage/sqlite/data-folder-lock';
import { openDatabase } from '../storage/sqlite/database-file';
import { MIGRATIONS } from '../storage/sqlite/migrations';
import { asDatabaseError, sqlOf } from '../storage/sqlite/sqlite';
import { refuseUnsound } from './back-up';
import { type CopiedColumn, type CopiedRow, type CopiedTable, faultOf, type SourceRow } from './copied-rows';
import { type Location, locationOf } from './separate-copy';

/** The SQLite database of a data folder while it is migrated. Until it is closed, no server and no other program writes it. */
export interface MigrationSource {
  file: string;
  location: Location;
  sql: Sql;
  countOf(table: CopiedTable): number;
  /** The columns of the table that are not among these, and these that it lacks. */
  otherColumns(table: CopiedTable, columns: readonly CopiedColumn[]): string[];
  /**
   * At most `limit` rows behind this row, in the order of their numbers. Fails with `database-unusable` if a row has a value that
   * PostgreSQL does not take.
   */
  rowsBehind(table: CopiedTable, columns: readonly CopiedColumn[], row: number, limit: number): CopiedRow[];
  close(): void;
}

/**
 * Opens the data folder for a migration; a database of an older version is first brought up to this program, as by any command. Fails
 * as `openDatabase` does, and with `database-unusable`, `already-running` if a server runs, or `storage-unavailable` if another
 * program writes it for long.
 */
export function openMigrationSource(dataDir: string, migrated: (text: string) => void): MigrationSource {
  const file = databaseFile(dataDir);
  if (!existsSync(file)) {
    const text = `There is no database in ${dataDir}; set RELAYGATE_DATA_DIR to the data folder of the server.`;
    throw new RelaygateError('database-unusable', text);
  }
  const unlock = lockDataFolder(dataDir);
  try {
    const db = openDatabase(file, MIGRATIONS, { progress: migrated });
    try {
      begin(db);
      refuseUnsound(db, file);
      return sourceOf(db, file, unlock);
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Nothing is written in this transaction. It keeps the operator's commands from writing, and reads one moment's state. */
function begin(db: Database): void {
  try {
    db.exec('BEGIN IMMEDIATE');
  } catch (error) {
    throw asDatabaseError(error);
  }
}

function sourceOf(db: Database, file: string, unlock: () => void): MigrationSource {
  return {
    file,
    location: locationOf(file),
    sql: sqlOf(db),
    countOf: (table) => Number(db.prepare(`SELECT COUNT(*) FROM ${table}`).pluck().get()),
    otherColumns(table, columns) {
      const there = db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table);
      const wanted = columns.map(({ name }) => name);
      return [...there.filter((name) => !wanted.includes(name)), ...wanted.filter((name) => !there.includes(name))];
    },
    rowsBehind(table, columns, row, limit) {
      const names = columns.map(({ name }) => name).join(', ');
      const page = `SELECT rowid, ${names} FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ?`;
      const rows = db.prepare<[number, number], unknown[]>(page).raw().all(row, limit);
      return rows.map(([number, ...values]) => {
        const found: SourceRow = { number: Number(number), values };
        return checked(db, { file, table, columns }, found);
      });
    },
    close() {
      db.close();
      unlock();
    },
  };
}

interface RowPlace {
  file: string;
  table: CopiedTable;
  columns: readonly CopiedColumn[];
}

function checked(db: Database, place: RowPlace, { number, values }: SourceRow): CopiedRow {
  const { file, table, columns } = place;
  columns.forEach((column, n) => {
    const fault = faultOf(values[n], column) ?? brokenText(db, table, column, number, values[n]);
    if (fault === undefined) return;
    const text = `${file}: ${column.name} of row ${number} of the table ${table} cannot be copied: ${fault}. Put it right, then run the command again (SELECT * FROM ${table} WHERE rowid = ${number}).`;
    throw new RelaygateError('database-unusable', text);
  });
  return { number, values: values.map((value) => (isSqlValue(value) ? value : null)) };
}

function isSqlValue(value: unknown): value is SqlValue {
  return value === null || typeof value === 'string' || typeof value === 'number';
}

const REPLACEMENT = '\u{FFFD}';

/** SQLite keeps bytes that are no UTF-8. The driver reads each as this character, so the text would be another one in the copy. */
function brokenText(
  db: Database,
  table: CopiedTable,
  { name }: CopiedColumn,
  row: number,
  value: unknown,
): string | undefined {
  if (typeof value !== 'string' || !value.includes(REPLACEMENT)) return undefined;
  const bytes = db.prepare(`SELECT CAST(${name} AS BLOB) FROM ${table} WHERE rowid = ?`).pluck().get(row);
  return Buffer.isBuffer(bytes) && bytes.equals(Buffer.from(value)) ? undefined : 'it is no UTF-8';
}
