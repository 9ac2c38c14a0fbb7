import { RelaygateError, type WallClock } from '@relaygate/shared';
import { type AttemptLimiter, limited } from './attempt-limiter';
import { hashClientKey, parseClientKey } from './client-key';
import type { ClientStore, KeyHolder } from './client-store';
import { sameHash } from './same-hash';

export interface KeyDeps {
  store: Pick<ClientStore, 'findClientKey'>;
  wallClock: WallClock;
}

/**
 * The client that this key belongs to, and the key's id; a right key is always served. Fails with `client-key-not-found` for
 * an unknown key or a deactivated client, with `too-many-requests` after too many such from `address` or on this key id.
 */
export async function login(
  parts: KeyDeps,
  limiter: AttemptLimiter,
  clientKey: string,
  address: string,
): Promise<KeyHolder> {
  const keyId = parseClientKey(clientKey)?.keyId;
  const keys = keyId === undefined ? [`address ${address}`] : [`address ${address}`, `key ${keyId}`];
  return limited(limiter, keys, 'client-key-not-found', async () => {
    const holder = await holderOf(parts, clientKey);
    if (!holder) throw new RelaygateError('client-key-not-found');
    return holder;
  });
}

/** Of the key of an active client, undefined when it is none. Takes the same time for a wrong secret as for an unknown id. */
export async function holderOf({ store, wallClock }: KeyDeps, clientKey: string): Promise<KeyHolder | undefined> {
  const keyId = parseClientKey(clientKey)?.keyId;
  const hash = hashClientKey(clientKey);
  const record = keyId === undefined ? undefined : await store.findClientKey(keyId, wallClock.epochMs());
  const matches = sameHash(hash, record?.keyHash);
  return keyId !== undefined && matches && record?.active ? { clientId: record.clientId, keyId } : undefined;
}
