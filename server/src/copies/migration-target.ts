import { type Clock, type Randomness, RelaygateError } from '@relaygate/shared';
import { AuditTrail } from '../storage/audit-trail';
import { shownDatabase } from '../storage/postgresql/driver-client';
import { becomeServer } from '../storage/postgresql/installation';
import { asOpenError } from '../storage/postgresql/postgres-storage';
import { sqlOver } from '../storage/postgresql/read-sessions';
import { STEPS } from '../storage/postgresql/schema';
import { MIGRATION_MARK, prepareDatabase } from '../storage/postgresql/schema-migration';
import { LONG_SILENCE_MS, LONG_STATEMENT_MS, Session } from '../storage/postgresql/session';
import { writeConnection } from '../storage/postgresql/write-session';
import type { Sql, SqlValue } from '../storage/sql';
import { COPIED_TABLES, type CopiedColumn, type CopiedPart, type CopiedRow, type CopiedTable } from './copied-rows';
import { copyDistance, jump } from './jump';
import type { Location } from './separate-copy';
import { begun, keepIdentity } from './separate-database';

/** Which SQLite database is being copied, and how far. A row in the database that becomes the copy. */
export interface MigrationMark {
  dataDir: string;
  location: Location;
  /** Wall time. */
  begunAtMs: number;
  copied: CopiedParts;
}

export type CopiedParts = Partial<Record<CopiedTable, CopiedPart>>;

/** The PostgreSQL database while a SQLite database is copied into it. Until it is closed, no server uses it. */
export interface MigrationTarget {
  /** For people; without secrets. */
  name: string;
  sql: Sql;
  /** Undefined if no migration has begun. Fails with `database-unusable` if another version of this program has begun it. */
  mark(): Promise<MigrationMark | undefined>;
  /** Makes the tables, and the mark. Fails with `already-exists` if the database is not empty. */
  begin(mark: MigrationMark): Promise<void>;
  /** Removes what is copied. */
  beginAnew(): Promise<void>;
  columnsOf(table: CopiedTable): Promise<CopiedColumn[]>;
  /** Adds rows and keeps in the mark how far all tables are copied: both or nothing. */
  append(
    table: CopiedTable,
    columns: readonly CopiedColumn[],
    rows: readonly CopiedRow[],
    copied: CopiedParts,
  ): Promise<void>;
  /** When all rows are there: from now on triggers keep the audit, and new rows get numbers above all. */
  arm(): Promise<void>;
  /** All rows of a table, in any order. */
  rowsOf(table: CopiedTable, columns: readonly CopiedColumn[]): AsyncIterable<SqlValue[][]>;
  /** Makes it a database of its own: its numbers go on far ahead, the audit says so, and the mark goes. `last` runs before the commit. */
  finish(by: { writerName: string; actor: string; atMs: number }, last: () => void): Promise<void>;
  close(): Promise<void>;
}

export interface MigrationTargetDeps {
  /** RELAYGATE_DATABASE_URL. A secret. */
  url: string;
  clock: Clock;
  randomness: Randomness;
}

const ROWS_AT_ONCE = 1_000;

/** Fails as `openPostgresStorage` does. */
export async function openMigrationTarget(deps: MigrationTargetDeps): Promise<MigrationTarget> {
  const { url, clock } = deps;
  let session: Session | undefined;
  try {
    session = await Session.open({ url, name: 'relaygate migrate-storage', clock });
    await becomeServer(session, clock, false);
    // Nobody waits for its transactions, and PostgreSQL must not end one while this program writes to a slow disk.
    await session.script(
      `SET statement_timeout = ${LONG_STATEMENT_MS}; SET idle_in_transaction_session_timeout = ${LONG_STATEMENT_MS}`,
    );
    return targetOf(session, deps);
  } catch (error) {
    session?.kill('it could not be prepared');
    throw asOpenError(error, url);
  }
}

function targetOf(session: Session, { url, clock, randomness }: MigrationTargetDeps): MigrationTarget {
  // A server's statement may not take so long. PostgreSQL ends it before this gives PostgreSQL up.
  const ask: Session['ask'] = (text, values) => session.patiently(() => session.ask(text, values), LONG_SILENCE_MS);
  const sql = sqlOver(ask);
  return {
    name: shownDatabase(url),
    sql,
    mark: () => markIn(sql),
    async begin({ dataDir, location, begunAtMs }) {
      await prepareDatabase(session, clock, {
        async beforeMigration() {
          throw notEmpty();
        },
        async made() {
          await session.script(`${MAKE_MARK}; ${EMPTY}`);
          await session.ask(KEEP_MARK, [JSON.stringify({ dataDir, location }), begunAtMs]);
        },
      });
      if (!(await markIn(sql))) throw notEmpty();
    },
    beginAnew: () =>
      session.patiently(
        () => session.script(`BEGIN; ${EMPTY}; UPDATE ${MIGRATION_MARK} SET copied = '{}'; COMMIT`),
        LONG_SILENCE_MS,
      ),
    columnsOf: (table) => sql.all<CopiedColumn>(COLUMNS, table),
    async append(table, columns, rows, copied) {
      const records = rows.map(({ values }) => Object.fromEntries(columns.map(({ name }, n) => [name, values[n]])));
      await ask(insertInto(table, columns), [JSON.stringify(records), JSON.stringify(copied)]);
    },
    async arm() {
      await ask('ALTER TABLE audit_records ENABLE TRIGGER audit_records_end');
      for (const { table, column } of await sql.all<{ table: string; column: string }>(NUMBERED)) {
        await ask(`SELECT setval(pg_get_serial_sequence('${table}', '${column}'), MAX(${column})) FROM ${table}`);
      }
    },
    async *rowsOf(table, columns) {
      const names = columns.map(({ name }) => name).join(', ');
      await ask('BEGIN READ ONLY');
      try {
        await ask(`DECLARE all_of_${table} CURSOR FOR SELECT ${names} FROM ${table}`);
        for (;;) {
          const { rows } = await ask(`FETCH ${ROWS_AT_ONCE} FROM all_of_${table}`);
          if (rows.length === 0) break;
          yield rows;
        }
      } finally {
        await ask('COMMIT');
      }
    },
    async finish({ writerName, actor, atMs }, last) {
      const connection = writeConnection({ within: async () => session }, clock);
      await session.patiently(async () => {
        await begun(connection, clock);
        try {
          const trail = new AuditTrail(connection, { writerName, actor, randomness });
          const entry = { kind: 'database-copied', atMs, details: { from: 'SQLite' } } as const;
          await jump(connection, trail, entry, await copyDistance(connection, atMs, randomness));
          await trail.keepHead();
          await keepIdentity(connection, session);
          await connection.run(FORGET_CLOCK);
          await connection.run(`DROP TABLE ${MIGRATION_MARK}`);
          last();
          await connection.commit();
        } catch (error) {
          await connection.rollback();
          throw error;
        }
      });
    },
    close: () => session.close(),
  };
}

function notEmpty(): RelaygateError {
  const text =
    'RELAYGATE_DATABASE_URL names a database that is not empty: it has tables of Relaygate already. Make another one and set the URL to it; nothing was changed.';
  return new RelaygateError('already-exists', text);
}

async function markIn(sql: Sql): Promise<MigrationMark | undefined> {
  if (!(await sql.get(HAS_MARK))) return undefined;
  const found = await sql.get<MarkRow>(
    `SELECT source, begun_at_ms, copied, version FROM ${MIGRATION_MARK}, installation`,
  );
  if (found?.version !== STEPS.length) {
    const text =
      'Another version of this program has begun to copy into this database. Finish with that one, or set RELAYGATE_DATABASE_URL to an empty database.';
    throw new RelaygateError('database-unusable', text);
  }
  const { source, begunAtMs, copied } = found;
  return { ...JSON.parse(source), begunAtMs, copied: JSON.parse(copied) };
}

interface MarkRow {
  /** `dataDir` and `location`, as JSON. */
  source: string;
  begunAtMs: number;
  /** CopiedParts, as JSON. */
  copied: string;
  version: number;
}

const MAKE_MARK = `CREATE TABLE ${MIGRATION_MARK} (source TEXT NOT NULL, begun_at_ms BIGINT NOT NULL, copied TEXT NOT NULL)`;
const KEEP_MARK = `INSERT INTO ${MIGRATION_MARK} VALUES ($1, $2, '{}')`;
const HAS_MARK = `SELECT 1 AS found FROM pg_class
  WHERE relnamespace = current_schema()::regnamespace AND relname = '${MIGRATION_MARK}'`;

/** Tables as they are before the first row: without those that a new database begins with, and open for records of the first format. */
const KEPT_TABLES = ['audit_records', 'audit_log', 'audit_archives'];
const EMPTY = [
  ...KEPT_TABLES.map((table) => `ALTER TABLE ${table} DISABLE TRIGGER USER`),
  `TRUNCATE ${COPIED_TABLES.join(', ')}`,
  ...KEPT_TABLES.map((table) => `ALTER TABLE ${table} ENABLE TRIGGER USER`),
  'ALTER TABLE audit_records DISABLE TRIGGER audit_records_end',
].join('; ');

/** Its times are by the clock of the database, which was another one: they could be ahead for hours. */
const FORGET_CLOCK = 'UPDATE products SET lost_at_ms = NULL WHERE lost_at_ms IS NOT NULL';

const COLUMNS = `SELECT column_name::text AS name, data_type::text AS type FROM information_schema.columns
  WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position`;
/** Columns whose numbers a sequence gives. */
const NUMBERED = `SELECT relname::text AS table, attname::text AS column FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
  WHERE relnamespace = current_schema()::regnamespace AND attidentity <> ''`;

/** One statement, so rows and mark are one transaction in one round trip. */
function insertInto(table: CopiedTable, columns: readonly CopiedColumn[]): string {
  const names = columns.map(({ name }) => name).join(', ');
  const typed = columns.map(({ name, type }) => `${name} ${type}`).join(', ');
  return `WITH added AS (
    INSERT INTO ${table} (${names}) SELECT ${names} FROM json_to_recordset($1::json) AS rows (${typed})
  ) UPDATE ${MIGRATION_MARK} SET copied = $2`;
}
