import type { Database } from 'better-sqlite3';
import { LOCK_TRY_MS } from '../group-commit';
import { openSqlite } from './sqlite';

/** Readers do not wait for writers under WAL; this is for another process that recovers the file after a crash. */
const READ_TRY_MS = 20;

/** Of the write-ahead log; pages that change again and again are copied back once in so many. 16 MiB of 4 KiB pages. */
const CHECKPOINT_PAGES = 4_000;

/** For writes: durable at COMMIT (I8). */
export function openWriteConnection(file: string): Database {
  const db = openSqlite(file, { timeout: LOCK_TRY_MS });
  db.pragma('synchronous = FULL');
  db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  db.pragma('foreign_keys = ON');
  return db;
}

/**
 * Moves what only the write-ahead log has into the file, so that a copy of the file alone is whole, and closes. SQLite does
 * so by itself only at the last connection of all programs. For the end of the server: meanwhile nobody else can write.
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

/** For reads beside the writer thread. It holds no transaction open, so it sees every commit at once. */
export function openReadConnection(file: string): Database {
  return openSqlite(file, { readonly: true, fileMustExist: true, timeout: READ_TRY_MS });
}
