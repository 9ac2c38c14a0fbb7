import { setImmediate as turn } from 'node:timers/promises';
import { RelaygateError } from '@relaygate/shared';
import { type AuditReport, brokenAudit } from '../audit/audit-report';
import type { OutsideEvidence } from '../audit/kept-outside';
import { type ReadAudit, verifyAudit } from '../audit/verify-audit';
import type { MigratedDatabase, MigrationProgress } from '../checked-copy';
import { forgetMigrated, keepMigrated, refuseMigrated } from '../files/migrated-storage';
import { ALL_AUDIT_READS as POSTGRES_READS } from '../storage/postgresql/audit-reads';
import { methodsOf, type Sql } from '../storage/sql';
import { ALL_AUDIT_READS as SQLITE_READS } from '../storage/sqlite/versioned-audit';
import {
  COPIED_TABLES,
  type CopiedColumn,
  type CopiedRow,
  type CopiedTable,
  NOTHING_COPIED,
  partWith,
  sumWith,
} from './copied-rows';
import type { MigrationSource } from './migration-source';
import type { CopiedParts, MigrationMark, MigrationTarget } from './migration-target';
import { isSameLocation } from './separate-copy';

export interface MigrationDeps {
  dataDir: string;
  source: MigrationSource;
  target: MigrationTarget;
  /** What was kept outside of the database about its audit. */
  evidence: OutsideEvidence;
  /** The migration is recorded in the audit chain of this writer. */
  writerName: string;
  actor: string;
  /** Wall time. */
  atMs: number;
  progress: MigrationProgress;
  /** Aborted: the migration stops behind the rows that are on their way. */
  signal: AbortSignal;
  /** So many are in memory, and in one transaction. */
  rowsAtOnce?: number;
}

const ROWS_AT_ONCE = 1_000;

/**
 * Copies the SQLite database of a data folder into an empty PostgreSQL database, or goes on where an earlier run was stopped or
 * killed. The SQLite database stays as it is, and no server uses it any more. Fails as source and target do, and with
 * - `migrated-away` if the data folder was migrated before,
 * - `already-exists` if the database is not empty, or has a part of another data folder,
 * - `audit-broken` if the audit of the data folder is broken,
 * - `database-unusable` if a row cannot be copied,
 * - `not-verified` if the copy is not what was copied,
 * - `migration-unfinished` if `signal` stopped it.
 */
export async function migrateStorage(deps: MigrationDeps): Promise<MigratedDatabase> {
  const { dataDir, source, target, writerName, actor, atMs, progress } = deps;
  const mark = await target.mark();
  if (mark) refuseOther(mark, source, target);
  else refuseMigrated(dataDir);
  const audit = await verifiedSource(deps);
  if (!mark) await target.begin({ dataDir, location: source.location, begunAtMs: atMs, copied: {} });
  const columns = await columnsOf(deps);
  const copied = await copyAll(deps, columns, await goOnFrom(deps, columns, mark));
  await target.arm();
  await verifyRows(deps, columns, copied);
  await verifyTarget(deps, audit);
  progress.said('all is copied and verified; the numbers of links, changes and records go on far ahead');
  try {
    await target.finish({ writerName, actor, atMs }, () => keepMigrated(dataDir, { atMs, to: target.name }));
  } catch (error) {
    if (!(error instanceof RelaygateError && error.code === 'storage-unanswered')) forgetMigrated(dataDir);
    throw error;
  }
  const rows = COPIED_TABLES.map((table) => [table, copied[table]?.rows ?? 0] as const);
  return { database: target.name, rows: Object.fromEntries(rows), audit };
}

function refuseOther({ dataDir, location }: MigrationMark, source: MigrationSource, { name }: MigrationTarget): void {
  if (isSameLocation(location, source.location)) return;
  const text = `${name} holds a part of another database, relaygate.db of ${dataDir}: finish that migration, or set RELAYGATE_DATABASE_URL to an empty database.`;
  throw new RelaygateError('already-exists', text);
}

/** Fails with `migration-unfinished` if somebody wants this to stop. */
async function pause({ signal }: Pick<MigrationDeps, 'signal'>): Promise<void> {
  // SQLite answers at once, so without this no signal would be heard.
  await turn();
  if (!signal.aborted) return;
  throw new RelaygateError('migration-unfinished', 'Stopped. Run the same command again: it goes on from here.');
}

type Columns = Record<CopiedTable, CopiedColumn[]>;

/** Of all tables. Fails with `database-unusable` if the two databases differ in shape. */
async function columnsOf({ source, target }: MigrationDeps): Promise<Columns> {
  const found: [CopiedTable, CopiedColumn[]][] = [];
  for (const table of COPIED_TABLES) {
    const columns = await target.columnsOf(table);
    const [other] = source.otherColumns(table, columns);
    if (other !== undefined) {
      const text = `${source.file}: the column ${other} of ${table} is in one of the two databases only.`;
      throw new RelaygateError('database-unusable', text);
    }
    found.push([table, columns]);
  }
  return Object.fromEntries(found) as Columns;
}

/** What an earlier run has copied. Nothing if the data folder has been used since: then what was copied is removed. */
async function goOnFrom(deps: MigrationDeps, columns: Columns, mark: MigrationMark | undefined): Promise<CopiedParts> {
  if (!mark) return {};
  const { target, progress } = deps;
  for (const table of COPIED_TABLES) {
    if (await isUnchanged(deps, table, columns[table], mark.copied)) continue;
    progress.said(`${table} has changed since the copy was begun, so it begins anew`);
    await target.beginAnew();
    return {};
  }
  progress.said('going on with the copy that was begun');
  return { ...mark.copied };
}

async function isUnchanged(
  deps: MigrationDeps,
  table: CopiedTable,
  columns: readonly CopiedColumn[],
  { [table]: known = NOTHING_COPIED }: CopiedParts,
): Promise<boolean> {
  let part = NOTHING_COPIED;
  while (part.lastRow < known.lastRow) {
    await pause(deps);
    const page = deps.source.rowsBehind(table, columns, part.lastRow, ROWS_AT_ONCE);
    const rows = page.filter(({ number }) => number <= known.lastRow);
    if (rows.length === 0) break;
    part = partWith(part, rows);
  }
  return part.rows === known.rows && part.lastRow === known.lastRow && part.sum === known.sum;
}

async function copyAll(deps: MigrationDeps, columns: Columns, begin: CopiedParts): Promise<CopiedParts> {
  const { source, progress, rowsAtOnce = ROWS_AT_ONCE } = deps;
  let copied = begin;
  for (const table of COPIED_TABLES) {
    const total = source.countOf(table);
    for (;;) {
      await pause(deps);
      const part = copied[table] ?? NOTHING_COPIED;
      const rows = source.rowsBehind(table, columns[table], part.lastRow, rowsAtOnce);
      if (rows.length === 0) break;
      copied = await append(deps, { table, columns: columns[table], rows, copied });
      progress.copied(table, part.rows + rows.length, total);
    }
  }
  return copied;
}

interface Batch {
  table: CopiedTable;
  columns: readonly CopiedColumn[];
  rows: readonly CopiedRow[];
  /** What is copied before it. */
  copied: CopiedParts;
}

/** Resolves with what is copied then. */
async function append({ source, target }: MigrationDeps, batch: Batch): Promise<CopiedParts> {
  const { table, columns, rows } = batch;
  const add = async (some: readonly CopiedRow[], copied: CopiedParts): Promise<CopiedParts> => {
    const after = { ...copied, [table]: partWith(copied[table] ?? NOTHING_COPIED, some) };
    await target.append(table, columns, some, after);
    return after;
  };
  try {
    return await add(rows, batch.copied);
  } catch (error) {
    if (!isOfOneStatement(error)) throw error;
  }
  // One of them is refused: which one?
  let { copied } = batch;
  for (const row of rows) {
    try {
      copied = await add([row], copied);
    } catch (cause) {
      if (!isOfOneStatement(cause)) throw cause;
      const text = `${source.file}: PostgreSQL refuses row ${row.number} of the table ${table}. ${cause.message} Put it right, then run the command again (SELECT * FROM ${table} WHERE rowid = ${row.number}).`;
      throw new RelaygateError('database-unusable', text, { cause });
    }
  }
  return copied;
}

function isOfOneStatement(error: unknown): error is RelaygateError {
  return error instanceof RelaygateError && error.code === 'unknown';
}

async function verifiedSource(deps: MigrationDeps): Promise<AuditReport> {
  const { source } = deps;
  const audit = await verified(
    deps,
    methodsOf<Sql, typeof SQLITE_READS>(SQLITE_READS, (read) => read.bind(undefined, source.sql)),
  );
  const broken = brokenAudit(audit);
  if (broken === undefined) return audit;
  const text = `The audit of ${source.file} is ${broken}. Nothing was copied; "audit verify" says more.`;
  throw new RelaygateError('audit-broken', text);
}

/** Fails with `not-verified`. */
async function verifyTarget(deps: MigrationDeps, before: AuditReport): Promise<void> {
  const { target } = deps;
  const after = await verified(
    deps,
    methodsOf<Sql, typeof POSTGRES_READS>(POSTGRES_READS, (read) => read.bind(undefined, target.sql)),
  );
  const broken = brokenAudit(after);
  if (broken !== undefined) throw notVerified(target, `its audit is ${broken}`);
  const ends = ({ records, heads, checkpoints }: AuditReport): string =>
    JSON.stringify([records, heads, checkpoints.good]);
  if (ends(after) !== ends(before)) throw notVerified(target, 'its audit ends elsewhere');
}

function verified(deps: MigrationDeps, store: ReadAudit): Promise<AuditReport> {
  const { evidence, progress } = deps;
  const readAudit: typeof store.readAudit = async (afterId, limit) => {
    await pause(deps);
    return store.readAudit(afterId, limit);
  };
  return verifyAudit({ ...store, readAudit }, evidence, (records) => progress.verified(records));
}

/** Reads all rows back. Fails with `not-verified`. */
async function verifyRows(deps: MigrationDeps, columns: Columns, copied: CopiedParts): Promise<void> {
  const { source, target, progress } = deps;
  for (const table of COPIED_TABLES) {
    const { sum } = copied[table] ?? NOTHING_COPIED;
    const expected = source.countOf(table);
    let rows = 0;
    let found = NOTHING_COPIED.sum;
    for await (const page of target.rowsOf(table, columns[table])) {
      await pause(deps);
      rows += page.length;
      found = sumWith(found, page);
      progress.readBack(table, rows, expected);
    }
    if (rows !== expected) throw notVerified(target, `${table} has ${rows} rows instead of ${expected}`);
    if (found !== sum) throw notVerified(target, `rows of ${table} differ`);
  }
}

function notVerified({ name }: MigrationTarget, what: string): RelaygateError {
  const text = `The copy in ${name} is not what was copied: ${what}. Make an empty database and run the command again with that one.`;
  return new RelaygateError('not-verified', text);
}
