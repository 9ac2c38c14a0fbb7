import { crockford, type Randomness, type WallClock } from '@relaygate/shared';
import { hashClientKey, newClientKey } from './client-key';
import type { ClientStore } from './client-store';

const CLIENT_ID_BYTES = 10;

export interface ClientWithKey {
  clientId: string;
  name: string;
  /** Show it once: only its hash is stored. */
  clientKey: string;
}

/** Fails with `already-exists` if a client has this name. */
export async function createClient(
  deps: { store: Pick<ClientStore, 'createClient'>; randomness: Randomness; wallClock: WallClock },
  name: string,
): Promise<ClientWithKey> {
  const { store, randomness, wallClock } = deps;
  const clientId = crockford(randomness.bytes(CLIENT_ID_BYTES)).toLowerCase();
  const { keyId, clientKey } = newClientKey(randomness);
  const keyHash = hashClientKey(clientKey);
  await store.createClient({ clientId, name, keyId, keyHash, createdAtMs: wallClock.epochMs() });
  return { clientId, name, clientKey };
}
