import { type Randomness, RelaygateError, type WallClock } from '@relaygate/shared';
import { hashClientKey, newClientKey } from './client-key';
import type { ClientStore } from './client-store';
import type { ClientWithKey } from './create-client';
import { clientNotFound } from './named-client';

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
  if (!client) throw clientNotFound(idOrName);
  return { ...client, clientKey };
}
