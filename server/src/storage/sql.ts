import { RelaygateError } from '@relaygate/shared';
import { messageOf } from '../foreign-error';

/** Booleans go as 0 and 1; times, epochs and numbers of records are safe integers. */
export type SqlValue = string | number | null;

/**
 * One connection to a database engine. The statements are what SQLite and PostgreSQL understand alike: parameters are `$1`,
 * `$2` ...; columns have lower snake case names, and the members of a row are the same names in camel case; `EXISTS` and
 * comparisons are never selected, because one engine gives 1 and the other true. BIGINT comes as a number.
 * Rejects with a RelaygateError: `storage-unavailable` if the database as a whole is in trouble, `unknown` if only this
 * statement failed.
 */
export interface Sql {
  /** The first row. */
  get<Row>(statement: string, ...values: SqlValue[]): Promise<Row | undefined>;
  all<Row>(statement: string, ...values: SqlValue[]): Promise<Row[]>;
  /** Resolves with the number of rows that were changed. */
  run(statement: string, ...values: SqlValue[]): Promise<number>;
}

/** A connection inside a transaction. */
export interface Transaction extends Sql {
  /**
   * Until this transaction ends, no other one passes a lock of this name: for `MAX + 1` and for counting before writing. What is
   * read from then on shows what the others have committed.
   */
  lock(name: string): Promise<void>;
}

/** A connection that writes: one transaction at a time. */
export interface WriteConnection extends Transaction {
  /** False if another program holds the lock: nothing has begun, and it may be tried again. */
  begin(): Promise<boolean>;
  /** Durable when resolved (I8). */
  commit(): Promise<void>;
  /** Undoes everything; also where the engine has done so by itself. */
  rollback(): Promise<void>;
}

/** A flag as it is stored. */
export type Flag = 0 | 1;

/** What an error of one statement is to the callers of the port: errors of ours pass through. */
export function asStorageError(error: unknown): RelaygateError {
  if (error instanceof RelaygateError) return error;
  return new RelaygateError('unknown', `The database did not do it: ${messageOf(error)}.`, { cause: error });
}
