import type { Storage } from './storage';

/** The port's methods that write. All others, but `close`, read. */
export type WriteName =
  | 'createClient'
  | 'setClientActive'
  | 'rotateClientKey'
  | 'createProduct'
  | 'createProducts'
  | 'setProductActivated'
  | 'setOutputActivated'
  | 'rotateProductKey'
  | 'revokeDevice'
  | 'associate'
  | 'dissociate'
  | 'enrolDevice'
  | 'openLink'
  | 'closeLink'
  | 'settleLink'
  | 'closeAllLinks'
  | 'saveReport'
  | 'keepHistory'
  | 'createFamily'
  | 'rotateFamily'
  | 'revokeFamily'
  | 'recordCommand'
  | 'recordBoot'
  | 'recordOutcome'
  | 'interruptPending'
  | 'probe';
export type ReadName = Exclude<keyof Storage, WriteName | 'close'>;

export type WriteArgs = { [Name in WriteName]: Parameters<Storage[Name]> };
export type WriteResults = { [Name in WriteName]: Awaited<ReturnType<Storage[Name]>> };

/** A write as data: it may wait in a queue and travel to the writer thread. Told apart by `name`. */
export type StorageWrite<Names extends WriteName = WriteName> = {
  [Name in Names]: { name: Name; args: WriteArgs[Name] };
}[Names];

export function writeOf<Name extends WriteName>(name: Name, args: WriteArgs[Name]): StorageWrite {
  // The signature pairs the two; within a generic function TypeScript cannot see that they are one of the union.
  return { name, args } as StorageWrite;
}

/** One synchronous handler a write, run inside a transaction of its connection. A throw undoes its changes. */
export type WriteHandlers = { [Name in WriteName]: (...args: WriteArgs[Name]) => WriteResults[Name] };

export type ReadArgs = { [Name in ReadName]: Parameters<Storage[Name]> };
export type ReadResults = { [Name in ReadName]: Awaited<ReturnType<Storage[Name]>> };
export type ReadHandlers = { [Name in ReadName]: (...args: ReadArgs[Name]) => ReadResults[Name] };

/** What takes writes and answers each exactly once: inline, or on a thread of its own. */
export interface Writer {
  execute<Name extends WriteName>(name: Name, args: WriteArgs[Name]): Promise<WriteResults[Name]>;
  /** Waits for the writes under way; later ones are refused. */
  close(): Promise<void>;
}
