import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { RelaygateError, type WallClock } from '@relaygate/shared';
import { monotonicNowMs, systemWallClock } from '@relaygate/shared/system';
import type { Database } from 'better-sqlite3';
import { freeBytesNow, giveToOwnerOf } from '../../files/data-folder';
import { nameDurably, openHalf } from '../../files/durable-file';
import { codeOf, messageOf } from '../../foreign-error';
import { LOCK_TRY_MS } from '../group-commit';
import { APPLICATION_ID, MIGRATIONS } from './migrations';
import { openSqlite, withWallClock } from './sqlite';

/** Two programs may start at once; one waits for the other to set the file up. */
const SETUP_LOCK_MS = 5_000;
/** Hashes of keys are for the server's user only. */
const FILE_MODE = 0o600;
/** The name by which SQLite opens a database in memory. */
export const IN_MEMORY = ':memory:';

/**
 * Opens a database and brings it up to this program: a new file gets the schema, an older one is first copied
 * (`FILE.before-vN`), then migrated. Fails, with nothing changed, with `database-too-new`, `disk-full` or `database-unusable`, or as
 * `beforeMigration` does.
 */
export function openDatabase(
  file: string,
  migrations: readonly string[] = MIGRATIONS,
  { image, isCopy = false, ...options }: OpenOptions = {},
): Database {
  let db: Database | undefined;
  try {
    if (file !== IN_MEMORY) makePrivately(file);
    db = openSqlite(image ?? file, { timeout: SETUP_LOCK_MS });
    // One transaction: another program may be setting the same new file up at this moment.
    db.transaction(checkKind)(db, file, migrations.length);
    // Kept in the file; only a file that is known to be ours may be changed so.
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    db.pragma('foreign_keys = ON');
    // What is erased is not left in the pages of the file, nor a table that a migration drops: it may hold names.
    db.pragma('secure_delete = ON');
    if (versionOf(db) < migrations.length) {
      migrate(db, file, migrations, { ...options, isCopy: isCopy || file === IN_MEMORY });
    }
    return db;
  } catch (error) {
    db?.close();
    throw asOpenError(error, file);
  }
}

interface OpenOptions {
  /** With `:memory:`, the bytes that it begins with. */
  image?: Buffer | undefined;
  /** It is a copy itself, and needs no other one before it is migrated. */
  isCopy?: boolean;
  /** While no other program writes. If it throws, nothing is migrated; what it returns is called behind the migration. */
  beforeMigration?: (() => () => void) | undefined;
  /** Gets a sentence when a migration begins, and one for each part of it that took more than a second. */
  progress?: ((text: string) => void) | undefined;
  /** On a monotonic clock. */
  nowMs?: () => number;
  /** What this program may still write to the folder's disk. */
  freeBytes?: (folder: string) => number;
}

/** Of a migration: the copy, the write-ahead log, and what the database grows by. */
const ROOM = { copied: 3, isCopy: 2 };
/** What takes longer is reported. */
const SLOW_MS = 1_000;
const MIB = 2 ** 20;

/** Fails with `disk-full`. */
function refuseWithoutRoom(file: string, isCopy: boolean | undefined, freeBytes: number): void {
  const sizes = [file, `${file}-wal`].map((one) => statSync(one, { throwIfNoEntry: false })?.size ?? 0);
  const neededBytes = (isCopy ? ROOM.isCopy : ROOM.copied) * sizes.reduce((sum, size) => sum + size, 0);
  if (freeBytes >= neededBytes) return;
  const [needed, free] = [Math.ceil(neededBytes / MIB), Math.floor(freeBytes / MIB)];
  const what = isCopy ? `The copy ${file}` : file;
  const next = isCopy ? 'run the command again; nothing was changed' : 'start again; the database is as it was';
  const text = `${what} must be brought up to this program, which needs ${needed} MiB on its disk; ${free} MiB are free. Make room, then ${next}.`;
  throw new RelaygateError('disk-full', text);
}

/** An empty file is a new database to SQLite, which gives its journals the mode of the file. */
function makePrivately(file: string): void {
  if (existsSync(file)) return;
  closeSync(openSync(file, 'a', FILE_MODE));
  giveToOwnerOf(dirname(file), file);
}

/** How many migrations the database has had; 0 if it is new. */
export function versionOf(db: Database): number {
  return Number(db.pragma('user_version', { simple: true }));
}

/** Fails for another program's database, and for one of a newer version of this program. */
export function checkKind(db: Database, file: string, programVersion: number): void {
  const ours = db.pragma('application_id', { simple: true }) === APPLICATION_ID;
  const empty = db.prepare('SELECT 1 FROM sqlite_master LIMIT 1').get() === undefined;
  if (!ours && !empty) throw new RelaygateError('database-unusable', `${file} is the database of another program.`);
  const version = versionOf(db);
  if (version > programVersion) {
    const text = `${file} was written by a newer version of this program (database version ${version}, this program knows ${programVersion}); update the program.`;
    throw new RelaygateError('database-too-new', text);
  }
}

function migrate(
  db: Database,
  file: string,
  migrations: readonly string[],
  {
    isCopy,
    beforeMigration,
    progress = () => {},
    nowMs = monotonicNowMs,
    freeBytes = freeBytesNow,
  }: Omit<OpenOptions, 'image'>,
): void {
  const timed = (what: string, run: () => void): void => {
    const begunMs = nowMs();
    run();
    const tookMs = nowMs() - begunMs;
    if (tookMs > SLOW_MS) progress(`${what}: done in ${Math.round(tookMs / 1000)} s`);
  };
  let end = (): void => {};
  // The lock comes first, so that nothing is written between the copy and the migration.
  const steps = db.transaction(() => {
    const from = versionOf(db);
    if (from >= migrations.length) return;
    if (from > 0 && beforeMigration) end = beforeMigration();
    if (from > 0 && file !== IN_MEMORY) {
      refuseWithoutRoom(file, isCopy, freeBytes(dirname(file)));
      progress(`bringing the database from version ${from} to ${migrations.length}; stopping it undoes the migration`);
    }
    if (from > 0 && !isCopy) {
      const copy = `${file}.before-v${migrations.length}`;
      timed(`copying it to ${copy}`, () => copyBeside(file, copy));
    }
    for (const [n, step] of migrations.slice(from).entries()) {
      timed(`version ${from + n + 1} of ${migrations.length}`, () => db.exec(step));
    }
    db.pragma(`application_id = ${APPLICATION_ID}`);
    db.pragma(`user_version = ${migrations.length}`);
  });
  try {
    steps.immediate();
  } finally {
    end();
  }
}

/** A consistent copy, through a connection of its own: SQLite makes none inside a transaction. */
function copyBeside(file: string, copy: string): void {
  const half = `${copy}.half`;
  // A file that SQLite makes itself has the mode that the umask leaves.
  closeSync(openHalf(half, FILE_MODE));
  const reader = openSqlite(file, { readonly: true, timeout: SETUP_LOCK_MS });
  try {
    reader.prepare('VACUUM INTO ?').run(half);
  } finally {
    reader.close();
  }
  giveToOwnerOf(dirname(file), half);
  nameDurably(half, copy, { replaces: true });
}

function asOpenError(error: unknown, file: string): unknown {
  if (error instanceof RelaygateError) return error;
  if (codeOf(error) === 'SQLITE_NOTADB') {
    return new RelaygateError(
      'database-unusable',
      `${file} is no database; move it away or choose another data folder.`,
      { cause: error },
    );
  }
  const text = `The database ${file} cannot be opened: ${messageOf(error)}.`;
  return new RelaygateError('database-unusable', text, { cause: error });
}

/** Readers do not wait for writers under WAL; this is for another process that recovers the file after a crash. */
const READ_TRY_MS = 20;

/** The write-ahead log is copied back when it has so many pages (16 MiB), so that a page that changes often is copied once. */
const CHECKPOINT_PAGES = 4_000;

/** For writes: durable at COMMIT (I8). `wallClock`: what `now_ms()` is. */
export function openWriteConnection(file: string, wallClock: WallClock = systemWallClock): Database {
  const db = withWallClock(openSqlite(file, { timeout: LOCK_TRY_MS }), wallClock);
  db.pragma('synchronous = FULL');
  db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  db.pragma('foreign_keys = ON');
  // When SQLite splits a page, it overwrites the rows that moved away: otherwise erasing a name later would leave that old copy.
  // FAST, unlike ON, writes only pages that would be written anyway.
  db.pragma('secure_delete = FAST');
  return db;
}

/**
 * Moves what only the write-ahead log has into the file, and closes, so that a copy of this one file is complete. SQLite itself
 * does this only when the last connection of all programs closes. For the end of the server: no one can write meanwhile.
 */
export function closeWithoutLog(db: Database): void {
  try {
    db.pragma('wal_checkpoint(TRUNCATE)');
  } catch {
    // A full disk, or another program that holds the lock: the log stays, and its next reader needs it.
  } finally {
    db.close();
  }
}

/** Empties the write-ahead log, beside other programs. False if one of them keeps it for too long. */
export function emptyLog(file: string): boolean {
  const db = openSqlite(file, { timeout: SETUP_LOCK_MS, fileMustExist: true });
  try {
    // The first column says that it was busy.
    return db.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) === 0;
  } finally {
    db.close();
  }
}

/** For reads on another thread than the writer's. It keeps no transaction open, so each read sees all commits before it. */
export function openReadConnection(file: string, wallClock: WallClock = systemWallClock): Database {
  return withWallClock(openSqlite(file, { readonly: true, fileMustExist: true, timeout: READ_TRY_MS }), wallClock);
}
