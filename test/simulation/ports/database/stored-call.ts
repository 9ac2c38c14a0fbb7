import type { Storage } from '@relaygate/server/storage/storage';

/** A write that was committed, or a read of an authorisation. */
export interface StoredCall {
  atMs: number;
  name: keyof Storage;
  args: readonly unknown[];
  result: unknown;
}
