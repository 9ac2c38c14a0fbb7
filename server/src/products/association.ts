import { isProductLogin, RelaygateError, type WallClock } from '@relaygate/shared';
import type { ClientStore, NamedClient } from '../clients/client-store';
import { namedClient } from '../clients/provision';
import { sameHash } from '../clients/same-hash';
import { type AttemptLimiter, limited } from '../limits/attempt-limiter';
import type { Budgets } from '../limits/budgets';
import { hashProductKey } from './product-key';
import type { ProductRecord, ProductStore } from './product-store';
import { showProduct } from './provision';
import type { WriteDoubt } from './write-doubt';

export interface AssociationDeps {
  store: Pick<ProductStore, 'findProduct' | 'isAssociated' | 'associate' | 'dissociate'>;
  limiter: AttemptLimiter;
  /** Budgets by client. */
  associations: Budgets;
  /** For writes of associations. */
  doubt: WriteDoubt;
  wallClock: WallClock;
}

export interface AssociationClaim {
  clientId: string;
  productLogin: string;
  productKey: string;
  address: string;
}

/**
 * Allows the client to control the product whose key it knows; twice is the same as once. Fails with `product-not-found` for a
 * wrong login or key. Fails with `too-many-requests` after too many such failures from this address or for this product, and
 * beyond the client's budget; a right key is not limited otherwise.
 */
export async function associate(
  { store, limiter, associations, doubt, wallClock }: AssociationDeps,
  { clientId, productLogin, productKey, address }: AssociationClaim,
): Promise<void> {
  // Only a possible login is remembered: other texts may be long, and there are more of them than addresses (I15).
  const keys = isProductLogin(productLogin)
    ? [`address ${address}`, `product ${productLogin}`]
    : [`address ${address}`];
  await limited(limiter, keys, 'product-not-found', async () => {
    const product = await findByLogin(store, productLogin);
    const isRight = sameHash(hashProductKey(productKey), product?.keyHash);
    if (!isRight) throw new RelaygateError('product-not-found');
    // I8: an unanswered dissociation could still be committed after this answer.
    if (!doubt.isOpen && (await store.isAssociated(clientId, productLogin))) return;
    const write = () => doubt.during(() => store.associate(clientId, productLogin, wallClock.epochMs()));
    if (!(await associations.pay(clientId, write))) throw new RelaygateError('product-not-found');
  });
}

/**
 * Fails with `product-not-found`, with `user-not-allowed` if the client was not associated, and with `too-many-requests`
 * beyond its budget.
 */
export async function dissociate(
  { store, associations, doubt, wallClock }: Omit<AssociationDeps, 'limiter'>,
  clientId: string,
  productLogin: string,
): Promise<void> {
  if (!isProductLogin(productLogin)) throw new RelaygateError('product-not-found');
  if (doubt.isOpen || (await store.isAssociated(clientId, productLogin))) {
    const write = () => doubt.during(() => store.dissociate(clientId, productLogin, wallClock.epochMs()));
    if (await associations.pay(clientId, write)) return;
  }
  const known = (await store.findProduct(productLogin)) !== undefined;
  throw new RelaygateError(known ? 'user-not-allowed' : 'product-not-found');
}

/** A product of the client's own. Fails with `product-not-found` or `user-not-allowed`; needs no activation. */
export async function associatedProduct(
  store: Pick<ProductStore, 'findProduct' | 'isAssociated'>,
  clientId: string,
  productLogin: string,
): Promise<ProductRecord> {
  const product = await findByLogin(store, productLogin);
  if (!product) throw new RelaygateError('product-not-found');
  if (!(await store.isAssociated(clientId, productLogin))) throw new RelaygateError('user-not-allowed');
  return product;
}

/** A text that can be no login is asked for nowhere: PostgreSQL answers some, with NUL in them, with an error. */
async function findByLogin(
  store: Pick<ProductStore, 'findProduct'>,
  productLogin: string,
): Promise<ProductRecord | undefined> {
  return isProductLogin(productLogin) ? store.findProduct(productLogin) : undefined;
}

type EndingStore = Pick<ProductStore, 'findProduct' | 'dissociate'> & Pick<ClientStore, 'findClient'>;

/**
 * For the operator: refuses the client this product from its next request on (I13). With the product key it can associate
 * again. Fails with `product-not-found`, `client-not-found` or `association-not-found`.
 */
export async function endAssociation(
  { store, wallClock }: { store: EndingStore; wallClock: WallClock },
  productLogin: string,
  clientIdOrName: string,
): Promise<NamedClient> {
  await showProduct(store, productLogin);
  const client = await namedClient(store, clientIdOrName);
  if (await store.dissociate(client.clientId, productLogin, wallClock.epochMs())) return client;
  const text = `The client ${client.name} is not associated with ${productLogin}.`;
  throw new RelaygateError('association-not-found', text);
}
