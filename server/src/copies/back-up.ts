import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { RelaygateError } from '@relaygate/shared';
import type { Database } from 'better-sqlite3';
import type { OutsideEvidence } from '../audit/kept-outside';
import { verifyAudit } from '../audit/verify-audit';
import type { CheckedCopy, CopyProgress } from '../checked-copy';
import { databaseFile } from '../files/data-folder';
import { nameDurably, removeIfPossible } from '../files/durable-file';
import { codeOf, messageOf } from '../foreign-error';
import type { Sql } from '../storage/sql';
import { methodsOf } from '../storage/sql';
import { checkKind, versionOf } from '../storage/sqlite/database-file';
import { MIGRATIONS } from '../storage/sqlite/migrations';
import { openSqlite, sqlOf } from '../storage/sqlite/sqlite';
import { ALL_AUDIT_READS } from '../storage/sqlite/versioned-audit';

export interface CopySource {
  file: string;
  /**
   * True: the database of a data folder, opened for writing as its programs do, so that no files of a write-ahead log are
   * left. False: a file elsewhere, perhaps on a medium that cannot be written.
   */
  inUse: boolean;
}

/** Between two reports of the progress. A quick disk copies them in a few milliseconds. */
const PAGES_AT_ONCE = 2_000;
const LOCK_WAIT_MS = 5_000;
const FILE_MODE = 0o600;

/**
 * Copies a database of this program, in use or not, to the new file `copy`, which needs no write-ahead log
 * and is readable for this user only. Its caller makes it durable with its final name. Fails with `database-unusable`, `database-too-new` or
 * `folder-not-writable`; then there is no copy. A broken audit is reported, not refused: it may be all there is.
 */
export async function checkedCopy(
  source: CopySource,
  copy: string,
  progress: CopyProgress,
  evidence: OutsideEvidence,
): Promise<CheckedCopy> {
  makeNew(copy);
  try {
    await copyTo(source, copy, progress);
    const { databaseVersion, audit } = await checked(copy, progress, evidence);
    return { sizeBytes: statSync(copy).size, databaseVersion, audit };
  } catch (error) {
    removeDatabase(copy);
    if (error instanceof RelaygateError) throw error;
    const text = `${source.file} cannot be copied: ${messageOf(error)}.`;
    throw new RelaygateError('database-unusable', text, { cause: error });
  }
}

/** As far as possible: `checkedCopy` reports a file that could not be removed. */
export function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) removeIfPossible(`${file}${suffix}`);
}

/** SQLite gives a file that it makes the mode that the umask leaves; one that is there keeps its own. */
function makeNew(copy: string): void {
  try {
    closeSync(openSync(copy, 'wx', FILE_MODE));
  } catch (cause) {
    throw new RelaygateError('folder-not-writable', `${copy} cannot be made: ${messageOf(cause)}.`, { cause });
  }
}

async function copyTo({ file, inUse }: CopySource, copy: string, progress: CopyProgress): Promise<void> {
  if (!existsSync(file)) throw new RelaygateError('database-unusable', `There is no file ${file}.`);
  const source = openSqlite(file, { readonly: !inUse, timeout: LOCK_WAIT_MS });
  try {
    // The copy reads one moment's state. Without the transaction, each write of the server would start the copy again.
    source.pragma('query_only = ON');
    source.exec('BEGIN');
    checkKind(source, file, MIGRATIONS.length);
    if (versionOf(source) === 0) throw new RelaygateError('database-unusable', `${file} is an empty database.`);
    await source.backup(copy, {
      progress({ totalPages, remainingPages }) {
        progress.copied(Math.floor((100 * (totalPages - remainingPages)) / Math.max(1, totalPages)));
        return PAGES_AT_ONCE;
      },
    });
  } finally {
    source.close();
  }
}

async function checked(
  copy: string,
  progress: CopyProgress,
  evidence: OutsideEvidence,
): Promise<Omit<CheckedCopy, 'sizeBytes'>> {
  const db = openSqlite(copy, { timeout: LOCK_WAIT_MS });
  try {
    // One plain file, that a read-only place or another tool can read.
    db.pragma('journal_mode = DELETE');
    refuseUnsound(db, copy);
    const sql = sqlOf(db);
    const store = methodsOf<Sql, typeof ALL_AUDIT_READS>(ALL_AUDIT_READS, (read) => read.bind(undefined, sql));
    const audit = await verifyAudit(store, evidence, (records) => progress.verified(records));
    return { databaseVersion: versionOf(db), audit };
  } finally {
    db.close();
  }
}

/** Fails with `database-unusable`. */
export function refuseUnsound(db: Database, file: string): void {
  const faults = db.pragma('integrity_check(1)', { simple: true });
  if (faults !== 'ok') throw new RelaygateError('database-unusable', `${file} is damaged: ${String(faults)}.`);
  const loose = db.prepare('SELECT 1 FROM pragma_foreign_key_check LIMIT 1').get();
  if (loose) throw new RelaygateError('database-unusable', `${file} is damaged: rows refer to rows that are gone.`);
}

/**
 * Makes a checked copy of the data folder's database, while a server may be running. The new file `target` appears when the
 * copy is complete. `evidence` is from before. Fails with `already-exists` if there is such a file, and like `checkedCopy`.
 */
export async function backUp(
  dataDir: string,
  target: string,
  progress: CopyProgress,
  evidence: OutsideEvidence,
): Promise<CheckedCopy> {
  const file = resolve(target);
  if (existsSync(file)) throw exists(target);
  // Random, because in a container each run may have the id of one that was killed and left its half.
  const half = `${file}.half-${randomBytes(4).toString('hex')}`;
  const copy = await checkedCopy({ file: databaseFile(dataDir), inUse: true }, half, progress, evidence);
  try {
    nameDurably(half, file, { replaces: false });
  } catch (cause) {
    removeDatabase(half);
    if (codeOf(cause) === 'EEXIST') throw exists(target);
    throw new RelaygateError('folder-not-writable', `${target} cannot be written: ${messageOf(cause)}.`, { cause });
  }
  return copy;
}

function exists(target: string): RelaygateError {
  return new RelaygateError('already-exists', `${target} is there already; a backup never overwrites a file.`);
}
