import { RelaygateError, type WallClock } from '@relaygate/shared';
import { type AttemptLimiter, limited } from '../clients/attempt-limiter';
import { sameHash } from '../clients/same-hash';
import { hashProductKey } from './product-key';
import type { ProductStore } from './product-store';

export interface AssociationParts {
  store: ProductStore;
  limiter: AttemptLimiter;
  wallClock: WallClock;
}

/**
 * Allows the client to control the product whose key it knows; again is the same as once. Fails with
 * `product-not-found` for a wrong login and for a wrong key alike, with `too-many-requests` after too many failures.
 */
export async function associate(
  { store, limiter, wallClock }: AssociationParts,
  claim: { clientId: string; productLogin: string; productKey: string; address: string },
): Promise<void> {
  const { clientId, productLogin, productKey, address } = claim;
  await limited(limiter, [`address ${address}`, `product ${productLogin}`], 'product-not-found', async () => {
    const product = await store.findProduct(productLogin);
    if (!sameHash(hashProductKey(productKey), product?.keyHash)) return undefined;
    return (await store.associate(clientId, productLogin, wallClock.epochMs())) || undefined;
  });
}

/** Fails with `product-not-found`, or `user-not-allowed` when the client was not associated. */
export async function dissociate(
  { store, wallClock }: Omit<AssociationParts, 'limiter'>,
  clientId: string,
  productLogin: string,
): Promise<void> {
  if (await store.dissociate(clientId, productLogin, wallClock.epochMs())) return;
  const known = (await store.findProduct(productLogin)) !== undefined;
  throw new RelaygateError(known ? 'user-not-allowed' : 'product-not-found');
}
