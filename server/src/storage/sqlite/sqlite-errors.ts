import { RelaygateError } from '@relaygate/shared';
import { codeOf, messageOf } from '../foreign-error';

/** Another connection, perhaps of another process, holds the lock. */
export function isBusy(error: unknown): boolean {
  return codeOf(error)?.startsWith('SQLITE_BUSY') ?? false;
}

/** The database as a whole is in trouble, so the rest of the transaction has no prospect either. */
export function isTroubleOfDatabase(error: unknown): boolean {
  const code = codeOf(error) ?? '';
  return code.startsWith('SQLITE_') && !code.startsWith('SQLITE_CONSTRAINT');
}

/** What an error of the driver is to the callers of the port; ours pass through. */
export function asStorageError(error: unknown): RelaygateError {
  if (error instanceof RelaygateError) return error;
  const code = isTroubleOfDatabase(error) || isClosed(error) ? 'storage-unavailable' : 'unknown';
  return new RelaygateError(code, `The database did not do it: ${messageOf(error)}.`, { cause: error });
}

/** better-sqlite3 has no code for it. */
function isClosed(error: unknown): boolean {
  return messageOf(error).includes('connection is not open');
}
