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

/** The methods of the port that these handlers are. */
export type MethodsOf<Handlers> = {
  [Name in keyof Handlers]: Handlers[Name] extends (context: never, ...args: infer Args) => infer Result
    ? (...args: Args) => Result
    : never;
};

/** A method for each handler; `call` runs the one of that name. */
export function methodsOf<Handlers extends object>(
  handlers: Handlers,
  call: (name: keyof Handlers & string, args: unknown[]) => Promise<unknown>,
): MethodsOf<Handlers> {
  const names = Object.keys(handlers) as (keyof Handlers & string)[];
  const methods = names.map((name) => [name, (...args: unknown[]) => call(name, args)] as const);
  return Object.fromEntries(methods) as MethodsOf<Handlers>;
}

/** A handler whose arguments are known by its name only. Declared as a method, so that its parameters may be narrower. */
interface AnyHandler<Context> {
  run(context: Context, ...args: readonly unknown[]): Promise<unknown>;
}

export function run<Context>(
  handlers: Readonly<Record<string, AnyHandler<Context>['run']>>,
  context: Context,
  name: string,
  args: readonly unknown[],
): Promise<unknown> {
  const handler = handlers[name];
  if (!handler) throw new Error(`there is no handler ${name}`);
  return handler(context, ...args);
}
