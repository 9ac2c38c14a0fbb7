import type { AuditEntry } from '../audit/audit-record';
import type { Sql, Transaction } from './sql';

/** What a write has at hand: it runs inside a transaction, and a rejection undoes all that it did. */
export interface WriteContext {
  sql: Transaction;
  /** Appends to the audit, in the same transaction. */
  audit(entry: AuditEntry): Promise<void>;
  /** The node, or program, that writes. */
  nodeName: string;
}

/** How methods of a port are done: the same arguments, behind what the method runs on. */
type HandlersOf<Port, Context> = {
  [Name in keyof Port]?: Port[Name] extends (...args: infer Args) => infer Result
    ? (context: Context, ...args: Args) => Result
    : never;
};
export type ReadHandlers<Port> = HandlersOf<Port, Sql>;
export type WriteHandlers<Port> = HandlersOf<Port, WriteContext>;
