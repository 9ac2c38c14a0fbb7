import { RelaygateError } from '@relaygate/shared';
import { asStorageError, codeOf, messageOf } from '../foreign-error';

/** Another connection, perhaps of another process, holds the lock. */
export function isBusy(error: unknown): boolean {
  return codeOf(error)?.startsWith('SQLITE_BUSY') ?? false;
}

/** What an error of the driver is to the callers of the port: trouble of the database as a whole, or of one statement. */
export function asDatabaseError(error: unknown): RelaygateError {
  if (!isTroubleOfDatabase(error)) return asStorageError(error);
  return new RelaygateError('storage-unavailable', `The database did not do it: ${messageOf(error)}.`, {
    cause: error,
  });
}

/** The rest of the transaction has no prospect either. */
function isTroubleOfDatabase(error: unknown): boolean {
  const code = codeOf(error) ?? '';
  return (code.startsWith('SQLITE_') && !code.startsWith('SQLITE_CONSTRAINT')) || isClosed(error);
}

/** better-sqlite3 has no code for it. */
function isClosed(error: unknown): boolean {
  return messageOf(error).includes('connection is not open');
}
