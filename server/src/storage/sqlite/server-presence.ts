import { existsSync } from 'node:fs';
import { lockFile } from '../data-folder';
import { openSqlite } from './sqlite';
import { isBusy } from './sqlite-errors';

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
