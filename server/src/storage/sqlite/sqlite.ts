import { createRequire } from 'node:module';
import { RelaygateError } from '@relaygate/shared';
import type BetterSqlite3 from 'better-sqlite3';
import { codeOf, messageOf } from '../../foreign-error';
import { asStorageError } from '../sql';

type Driver = typeof BetterSqlite3;

/** The first Node that better-sqlite3 13 is for. */
const FIRST_NODE = 22;
/**
 * The better-sqlite3 that fits this Node: 13 ends Node 20 with a segmentation fault, and 12, compiled for Node 24.19 or newer,
 * ends that one when it collects a statement as garbage.
 */
const PACKAGE = Number(process.versions.node.split('.')[0]) >= FIRST_NODE ? 'better-sqlite3' : 'better-sqlite3-12';

/** Of the package, and of its compiled part, which is loaded with the first database. */
const NOT_LOADED = new Set(['MODULE_NOT_FOUND', 'ERR_DLOPEN_FAILED']);
const NO_COMPILED_PART = 'Could not locate the bindings file';

/** Fails with `database-unusable` where the driver does not load, and as better-sqlite3 does. */
export function openSqlite(...args: ConstructorParameters<Driver>): BetterSqlite3.Database {
  try {
    const require = createRequire(__filename);
    const Database: Driver = require(PACKAGE);
    return new Database(...args);
  } catch (cause) {
    if (!NOT_LOADED.has(codeOf(cause) ?? '') && !messageOf(cause).startsWith(NO_COMPILED_PART)) throw cause;
    const [why] = messageOf(cause).split('\n', 1);
    const what = `${PACKAGE}, which Node ${process.versions.node} needs, does not load: ${why}`;
    const cure = 'Use Node 24; or install make, g++ and python3, then run "npm ci" again.';
    throw new RelaygateError('database-unusable', `${what}. ${cure}`, { cause });
  }
}

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

/** better-sqlite3 gives this error no code. */
function isClosed(error: unknown): boolean {
  return messageOf(error).includes('connection is not open');
}
