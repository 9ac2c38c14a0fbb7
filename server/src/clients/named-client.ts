import { RelaygateError } from '@relaygate/shared';
import type { ClientStore, NamedClient } from './client-store';

/** The client with this id or name. Fails with `client-not-found`. */
export async function namedClient(store: Pick<ClientStore, 'findClient'>, idOrName: string): Promise<NamedClient> {
  const client = await store.findClient(idOrName);
  if (!client) throw clientNotFound(idOrName);
  return client;
}

export function clientNotFound(idOrName: string): RelaygateError {
  return new RelaygateError('client-not-found', `No client has the id or name ${idOrName}.`);
}
