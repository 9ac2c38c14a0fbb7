import { afterEach, beforeEach } from '@jest/globals';
import type { Storage } from '@relaygate/server/storage/storage';
import type { StorageUnderTest } from './storage-under-test';

/** A fresh storage for each test, prepared by `prepare`; gives the current one. */
export function freshStorage(
  adapter: StorageUnderTest,
  prepare: (storage: Storage) => Promise<unknown> = async () => {},
): { current: Storage; reopen(): Promise<Storage> } {
  let storage: Storage | undefined;
  beforeEach(async () => {
    storage = await adapter.open();
    await prepare(storage);
  });
  afterEach(async () => {
    await storage?.close();
  });
  const current = (): Storage => {
    if (!storage) throw new Error('no storage outside a test');
    return storage;
  };
  return {
    get current() {
      return current();
    },
    async reopen() {
      if (!adapter.reopen) throw new Error('this adapter keeps nothing');
      storage = await adapter.reopen(current());
      return storage;
    },
  };
}
