import { crockford, type Randomness, type WallClock } from '@relaygate/shared';
import { hashClientKey, newClientKey } from './client-key';
import type { ClientStore } from './client-store';

const CLIENT_ID_BYTES = 10;

export interface ClientWithKey {
  clientId: string;
  name: string;
  /** To be shown once: the store keeps its hash only. */
  clientKey: string;
}

/** Fails with `already-exists` when a client has this name. */
export async function createClient(
  parts: { store: Pick<ClientStore, 'createClient'>; randomness: Randomness; wallClock: WallClock },
  name: string,
): Promise<ClientWithKey> {
  const { store, randomness, wallClock } = parts;
  const clientId = crockford(randomness.bytes(CLIENT_ID_BYTES)).toLowerCase();
  const { keyId, clientKey } = newClientKey(randomness);
  const keyHash = hashClientKey(clientKey);
  await store.createClient({ clientId, name, keyId, keyHash, createdAtMs: wallClock.epochMs() });
  return { clientId, name, clientKey };
}
