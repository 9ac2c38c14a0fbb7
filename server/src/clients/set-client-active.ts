import type { WallClock } from '@relaygate/shared';
import type { ClientStore } from './client-store';
import { clientNotFound } from './named-client';

/** A deactivated client is refused from its next request on (I13). Fails with `client-not-found`. */
export async function setClientActive(
  { store, wallClock }: { store: Pick<ClientStore, 'setClientActive'>; wallClock: WallClock },
  idOrName: string,
  active: boolean,
): Promise<void> {
  if (await store.setClientActive(idOrName, active, wallClock.epochMs())) return;
  throw clientNotFound(idOrName);
}
