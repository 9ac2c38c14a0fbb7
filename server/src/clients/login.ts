import type { WallClock } from '@relaygate/shared';
import type { AttemptLimiter } from './attempt-limiter';
import { limited } from './attempt-limiter';
import { hashClientKey, parseClientKey } from './client-key';
import type { ClientStore } from './client-store';
import { sameHash } from './same-hash';

export interface KeyParts {
  store: Pick<ClientStore, 'findClientKey'>;
  wallClock: WallClock;
}

/**
 * The client that this key belongs to. Fails with `client-key-not-found` for an unknown key or a deactivated
 * client, with `too-many-requests` after too many failures from `address` or on this key id.
 */
export async function login(
  parts: KeyParts,
  limiter: AttemptLimiter,
  clientKey: string,
  address: string,
): Promise<string> {
  const keyId = parseClientKey(clientKey)?.keyId;
  const keys = keyId === undefined ? [`address ${address}`] : [`address ${address}`, `key ${keyId}`];
  return limited(limiter, keys, 'client-key-not-found', () => clientOfKey(parts, clientKey));
}

/** The active client of a key, undefined when there is none. Takes the same time for a wrong secret as for an unknown id. */
export async function clientOfKey({ store, wallClock }: KeyParts, clientKey: string): Promise<string | undefined> {
  const keyId = parseClientKey(clientKey)?.keyId;
  const hash = hashClientKey(clientKey);
  const record = keyId === undefined ? undefined : await store.findClientKey(keyId, wallClock.epochMs());
  const matches = sameHash(hash, record?.keyHash);
  return matches && record?.active ? record.clientId : undefined;
}
