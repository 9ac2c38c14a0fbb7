import { existsSync } from 'node:fs';
import { RelaygateError } from '@relaygate/shared';
import { giveToOwnerOf, lockFile, prepareDataFolder } from '../../files/data-folder';
import { isBusy, openSqlite } from './sqlite';

/** Longer than `isServerRunning`, of an operator's command, holds its read lock. */
const LOCK_WAIT_MS = 200;

/**
 * Keeps a second server out of a data folder: it would end the first one's commands and links. The lock is one of
 * SQLite on a file of its own, which the system releases however the process ends. Node has no file locks itself.
 * Fails with `already-running`. Returns the unlocking.
 */
export function lockDataFolder(dataDir: string): () => void {
  prepareDataFolder(dataDir);
  const file = lockFile(dataDir);
  const lock = openSqlite(file, { timeout: LOCK_WAIT_MS });
  try {
    lock.pragma('journal_mode = DELETE');
    lock.exec('BEGIN EXCLUSIVE');
    giveToOwnerOf(dataDir, file);
  } catch (cause) {
    lock.close();
    if (!isBusy(cause)) throw cause;
    const text = `A server runs on the data folder ${dataDir} already, or a command migrates or restores its database; stop it, or choose another with RELAYGATE_DATA_DIR.`;
    throw new RelaygateError('already-running', text, { cause });
  }
  return () => lock.close();
}

/**
 * Keeps servers out while an operator's command migrates the database: an older one would go on writing what it knows. Fails
 * with `already-running`. Returns the unlocking.
 */
export function lockForMigration(dataDir: string): () => void {
  if (!isServerRunning(dataDir)) return lockDataFolder(dataDir);
  const text = `The server that runs on ${dataDir} is older than this program. Restart it first: it migrates the database when it starts. If a command restores or migrates the database, wait for that.`;
  throw new RelaygateError('already-running', text);
}

/** Whether a server holds the data folder's lock. It is read, never taken: a server that starts meanwhile must get it. */
export function isServerRunning(dataDir: string): boolean {
  const file = lockFile(dataDir);
  if (!existsSync(file)) return false;
  const lock = openSqlite(file, { readonly: true, timeout: 0 });
  try {
    lock.prepare('SELECT COUNT(*) FROM sqlite_master').get();
    return false;
  } catch (cause) {
    if (isBusy(cause)) return true;
    throw cause;
  } finally {
    lock.close();
  }
}
