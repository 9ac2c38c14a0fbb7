import { crockford, type Randomness, RelaygateError, type WallClock } from '@relaygate/shared';
import { hashClientKey, newClientKey } from './client-key';
import type { ClientStore, NamedClient } from './client-store';

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

/**
 * Makes a new key for a client. The old key works until `oldKeyUntilMs` (wall time). Without that time it ends at once, and
 * the client's open sessions cannot be renewed (I13). Fails with `client-not-found`, and with `out-of-range` if the time is
 * in the past.
 */
export async function rotateClientKey(
  deps: { store: Pick<ClientStore, 'rotateClientKey'>; randomness: Randomness; wallClock: WallClock },
  idOrName: string,
  oldKeyUntilMs?: number,
): Promise<ClientWithKey> {
  const { store, randomness, wallClock } = deps;
  const atMs = wallClock.epochMs();
  if (oldKeyUntilMs !== undefined && oldKeyUntilMs <= atMs) {
    throw new RelaygateError('out-of-range', 'The end of the old key is in the past.');
  }
  const { keyId, clientKey } = newClientKey(randomness);
  const rotation = { keyId, keyHash: hashClientKey(clientKey), oldKeyUntilMs: oldKeyUntilMs ?? atMs, atMs };
  const client = await store.rotateClientKey(idOrName, rotation);
  if (!client) throw noClient(idOrName);
  return { ...client, clientKey };
}

/** A deactivated client is refused from its next request on (I13). Fails with `client-not-found`. */
export async function setClientActive(
  { store, wallClock }: { store: Pick<ClientStore, 'setClientActive'>; wallClock: WallClock },
  idOrName: string,
  active: boolean,
): Promise<void> {
  if (!(await store.setClientActive(idOrName, active, wallClock.epochMs()))) throw noClient(idOrName);
}

/** The client with this id or name. Fails with `client-not-found`. */
export async function namedClient(store: Pick<ClientStore, 'findClient'>, idOrName: string): Promise<NamedClient> {
  const client = await store.findClient(idOrName);
  if (!client) throw noClient(idOrName);
  return client;
}

function noClient(idOrName: string): RelaygateError {
  return new RelaygateError('client-not-found', `No client has the id or name ${idOrName}.`);
}
