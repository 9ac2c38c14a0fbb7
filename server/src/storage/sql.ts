import { RelaygateError } from '@relaygate/shared';
import type { AuditEntry, WriterHead } from '../audit/audit-record';
import { messageOf } from '../foreign-error';

/** Booleans go as 0 and 1; times, epochs and numbers of records are safe integers. */
export type SqlValue = string | number | null;

/**
 * One connection to a database engine. The statements are what SQLite and PostgreSQL understand alike: parameters are `$1`,
 * `$2` ...; columns have lower snake case names, and the members of a row are the same names in camel case; `EXISTS` and
 * comparisons are never selected, because one engine gives 1 and the other true. BIGINT comes as a number. `now_ms()` is the wall
 * time of the database's machine at this statement.
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
   * As `run`, where nobody asks how many rows were changed: it may resolve before the database has run the statement. If that
   * fails, the next statement that is waited for rejects, at the latest `commit`.
   */
  send(statement: string, ...values: SqlValue[]): Promise<unknown>;
  /** As `send` for each of these rows, in their order. `insert`: `INSERT ... VALUES ($1, $2, ...)`, and nothing behind it. */
  sendRows(insert: string, rows: readonly (readonly SqlValue[])[]): Promise<unknown>;
  /**
   * Until this transaction ends, no other one passes a lock of this name: for `MAX + 1` and for counting before writing. What is
   * read from then on shows what the others have committed.
   */
  lock(name: string): Promise<void>;
}

/** A connection that writes: one transaction at a time. */
export interface WriteConnection extends Transaction {
  /** Statements travel before the last one is answered: writes that run at once share their round trips. */
  readonly isPipelined?: boolean;
  /**
   * False if another program holds the lock: nothing has begun, and it may be tried again. A transaction has many writes, whose
   * locks follow each other in any order. So an engine with several writers at once takes the lock `audit` here, before any other.
   * `readAhead` reads inside the transaction; an engine to which statements travel runs it on the way of the beginning, others never.
   */
  begin(readAhead?: () => Promise<unknown>): Promise<boolean>;
  /**
   * Durable when resolved (I8). Rejects with `storage-unanswered` if the transaction may be committed all the same; with any other
   * error it is not.
   */
  commit(): Promise<void>;
  /** Undoes everything; also where the engine has done so by itself. */
  rollback(): Promise<void>;
}

/** The engine has undone the transaction for the sake of another one, or waited in vain for it: the same again may succeed. */
export class InTheWay extends Error {}

/** As `Promise.all`, but rejects only when all have ended: none of them is at work behind the rollback. */
export async function allOf<const Running extends readonly unknown[]>(
  running: Running,
): Promise<{ -readonly [N in keyof Running]: Awaited<Running[N]> }> {
  await Promise.allSettled(running);
  return Promise.all(running);
}

/** A flag as it is stored. */
export type Flag = 0 | 1;

/** What an error of one statement is to the callers of the port: errors of ours pass through. */
export function asStorageError(error: unknown): RelaygateError {
  if (error instanceof RelaygateError) return error;
  return new RelaygateError('unknown', `The database did not do it: ${messageOf(error)}.`, { cause: error });
}

/**
 * What a write has at hand: it runs inside a transaction, and a rejection undoes all that it did.
 *
 * INVARIANT: every write takes its locks in one order, or two of them would wait for each other on an engine whose transactions
 * run beside each other: `revise`, then named locks, then rows (nodes, clients, products, commands, outputs, all others), then `audit`.
 */
export interface WriteContext {
  sql: Transaction;
  /** Appends to the audit, in the same transaction. */
  audit(entry: AuditEntry): Promise<void>;
  /** Where all chains stand, with what this transaction has appended. `atMs`: wall time. */
  auditHeads(atMs: number): Promise<WriterHead[]>;
  /** For the commitment to a new name. */
  newSalt(): string;
  /** What records name the product by; undefined: there is none of this login. */
  productId(productLogin: string): Promise<number | undefined>;
  /** What marks a row as changed, for listeners. Gives `rows` numbers and returns the first one; with 0, gives none and returns the next. */
  revise(rows?: number): Promise<Revision>;
}

/** The columns `revised_by` and `revision`: who writes, and the next number of that writer. */
export type Revision = readonly [revisedBy: number, revision: number];

/** How methods of a port are done: the same arguments, behind what the method runs on. */
type HandlersOf<Port, Context> = {
  [Name in keyof Port]?: Port[Name] extends (...args: infer Args) => infer Result
    ? (context: Context, ...args: Args) => Result
    : never;
};
export type ReadHandlers<Port> = HandlersOf<Port, Sql>;
export type WriteHandlers<Port> = HandlersOf<Port, WriteContext>;

/** The methods of the port that these handlers are. */
export type MethodsOf<Handlers> = {
  [Name in keyof Handlers]: Handlers[Name] extends (context: never, ...args: infer Args) => infer Result
    ? (...args: Args) => Result
    : never;
};

/** A handler of any name. Declared as a method, because TypeScript lets a method have narrower parameters. */
export interface AnyHandler<Context> {
  run(context: Context, ...args: readonly unknown[]): Promise<unknown>;
}

/** What runs a handler, as a method of the port. */
export type Bind<Context> = (
  handler: AnyHandler<Context>['run'],
  name: string,
) => (...args: unknown[]) => Promise<unknown>;

/** A method for each handler. */
export function methodsOf<Context, Handlers extends Readonly<Record<string, AnyHandler<Context>['run']>>>(
  handlers: Handlers,
  bind: Bind<Context>,
): MethodsOf<Handlers> {
  const methods = Object.entries(handlers).map(([name, handler]) => [name, bind(handler, name)] as const);
  return Object.fromEntries(methods) as MethodsOf<Handlers>;
}
