import { type Randomness, RelaygateError, type WallClock } from '@relaygate/shared';
import { hashClientKey, newClientKey } from './client-key';
import type { ClientStore } from './client-store';
import type { ClientWithKey } from './create-client';

/**
 * A new key for a client. The old one works until `oldKeyUntilMs` (wall time), or is dead at once when left out; then
 * sessions that the client has open cannot be renewed either (I13). Fails with `client-not-found`, and with
 * `out-of-range` for a time that is past.
 */
export async function rotateClientKey(
  parts: { store: Pick<ClientStore, 'rotateClientKey'>; randomness: Randomness; wallClock: WallClock },
  idOrName: string,
  oldKeyUntilMs?: number,
): Promise<ClientWithKey> {
  const { store, randomness, wallClock } = parts;
  const atMs = wallClock.epochMs();
  if (oldKeyUntilMs !== undefined && oldKeyUntilMs <= atMs) {
    throw new RelaygateError('out-of-range', 'The time until which the old key works is past already.');
  }
  const { keyId, clientKey } = newClientKey(randomness);
  const rotation = { keyId, keyHash: hashClientKey(clientKey), oldKeyUntilMs: oldKeyUntilMs ?? atMs, atMs };
  const client = await store.rotateClientKey(idOrName, rotation);
  if (!client) throw new RelaygateError('client-not-found', `No client has the id or name ${idOrName}.`);
  return { ...client, clientKey };
}
