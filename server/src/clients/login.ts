import { RelaygateError, type WallClock } from '@relaygate/shared';
import { type AttemptLimiter, limited } from '../limits/attempt-limiter';
import { hashClientKey, parseClientKey } from './client-key';
import type { ClientStore, KeyHolder } from './client-store';
import { sameHash } from './same-hash';

export interface KeyDeps {
  store: Pick<ClientStore, 'findClientKey'>;
  wallClock: WallClock;
}

/**
 * Resolves with the client and the key's id; a right key is never limited. Fails with `client-key-not-found` for an unknown key
 * or a deactivated client, and with `too-many-requests` after too many such failures from `address` or on this key id.
 */
export async function login(
  deps: KeyDeps,
  limiter: AttemptLimiter,
  clientKey: string,
  address: string,
): Promise<KeyHolder> {
  const keyId = parseClientKey(clientKey)?.keyId;
  const keys = keyId === undefined ? [`address ${address}`] : [`address ${address}`, `key ${keyId}`];
  return limited(limiter, keys, 'client-key-not-found', async () => {
    const holder = await holderOf(deps, clientKey);
    if (!holder) throw new RelaygateError('client-key-not-found');
    return holder;
  });
}

/** Undefined if it is no working key of an active client. A wrong secret takes the same time as an unknown id. */
export async function holderOf({ store, wallClock }: KeyDeps, clientKey: string): Promise<KeyHolder | undefined> {
  const keyId = parseClientKey(clientKey)?.keyId;
  const hash = hashClientKey(clientKey);
  const record = keyId === undefined ? undefined : await store.findClientKey(keyId, wallClock.epochMs());
  const matches = sameHash(hash, record?.keyHash);
  return keyId !== undefined && matches && record?.active ? { clientId: record.clientId, keyId } : undefined;
}
