import type { Storage } from '@relaygate/server/storage/storage';

/** One adapter of the storage port, as the contract sees it. */
export interface StorageUnderTest {
  /** A fresh, empty storage; the suite that asks closes it. */
  open(): Promise<Storage>;
  /** Closes what `open` gave and opens the same data again; undefined where nothing outlives closing. */
  reopen?: (storage: Storage) => Promise<Storage>;
  /** Runs a statement on the same data by another connection; undefined where there can be none. */
  execute?: (storage: Storage, statement: string) => Promise<unknown>;
}

/** The name under which every adapter's audit is written here. */
export const WRITER = 'node-1';
