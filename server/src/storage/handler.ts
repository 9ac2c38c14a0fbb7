import type { AuditEntry, WriterHead } from '../audit/audit-record';
import type { Sql, Transaction } from './sql';

/**
 * What a write has at hand: it runs inside a transaction, and a rejection undoes all that it did.
 *
 * INVARIANT: every write takes its locks in one order, or two of them would wait for each other on an engine whose transactions
 * run beside each other: `revise`, then named locks, then rows (clients, products, commands, outputs, all others), then `audit`.
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
  /** What marks a row as changed, for those who listen. `rows`: so many numbers, of which this is the first; 0: the next one, not given yet. */
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
