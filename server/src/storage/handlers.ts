import { auditReads } from './audit-handlers';
import { clientReads, clientWrites } from './client-handlers';
import { commandReads, commandWrites } from './command-handlers';
import { deviceReads, deviceWrites } from './device-handlers';
import { familyReads, familyWrites } from './family-handlers';
import type { WriteHandlers } from './handler';
import { productReads, productWrites } from './product-handlers';
import type { Storage } from './storage';

/** Reads that take microseconds. What must be of one commit is read by one statement: they have no transaction. */
export const READS = { ...clientReads, ...productReads, ...deviceReads, ...commandReads, ...familyReads };

/** Reads that may take seconds if the audit is long: the operator's commands call them, and no server does. */
export const AUDIT_READS = auditReads;

/** Each is one transaction. */
export const WRITES = {
  ...clientWrites,
  ...productWrites,
  ...deviceWrites,
  ...commandWrites,
  ...familyWrites,
  ...({
    async probe({ sql }) {
      await sql.run('UPDATE write_probe SET probes = probes + 1');
    },
  } satisfies WriteHandlers<Storage>),
};

export type WriteName = keyof typeof WRITES;
export type WriteArgs = { [Name in WriteName]: Parameters<Storage[Name]> };
export type WriteResults = { [Name in WriteName]: Awaited<ReturnType<Storage[Name]>> };

/** A write as data: it may wait in a queue and travel to another thread. `name` says which it is. */
export type StorageWrite = { [Name in WriteName]: { name: Name; args: WriteArgs[Name] } }[WriteName];

export function writeOf<Name extends WriteName>(name: Name, args: WriteArgs[Name]): StorageWrite {
  // The signature pairs the two; within a generic function TypeScript cannot see that they are one of the union.
  return { name, args } as StorageWrite;
}

/** What takes writes and answers each exactly once: inline, or on a thread of its own. */
export interface Writer {
  execute<Name extends WriteName>(name: Name, args: WriteArgs[Name]): Promise<WriteResults[Name]>;
  /** Waits for the writes under way; later ones are refused. */
  close(): Promise<void>;
}

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
