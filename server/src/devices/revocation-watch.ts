import type { Cancel, Clock } from '@relaygate/shared';
import type { Log } from '../log/log';
import { watchDatabase } from './database-watch';
import type { DeviceStore, PinnedKeys } from './device-store';
import type { LinkRegistry } from './link-registry';

/**
 * Closes the links of devices that an operator's command has revoked, within 1 s (I13), and ends commands that wait for such links.
 * Other changes need no watch, because each request reads them.
 */
export function watchRevocations(deps: {
  store: Pick<DeviceStore, 'revocationCount' | 'revokedSince'> & PinnedKeys;
  registry: LinkRegistry;
  /** Ends commands that wait for the product's link. */
  commands: { deviceRevoked(productLogin: string): void };
  clock: Clock;
  log: Log;
}): Cancel {
  const { store, registry, commands, clock, log } = deps;
  let seen: number | undefined;

  /** The product may already have a new device, with its new key and link. */
  const endIfRevoked = async (productLogin: string): Promise<void> => {
    const link = registry.current(productLogin);
    const product = await store.findProduct(productLogin);
    if (link && product?.devicePublicKey !== link.held.publicKey) link.revoke();
    if (registry.current(productLogin) || product?.devicePublicKey !== null) return;
    commands.deviceRevoked(productLogin);
  };

  const ask = async (): Promise<void> => {
    const count = await store.revocationCount();
    // Before the first count there are no links.
    if (seen !== undefined && count !== seen) {
      for (const productLogin of await store.revokedSince(seen)) await endIfRevoked(productLogin);
    }
    seen = count;
  };
  return watchDatabase(ask, { failure: 'revocations not readable', clock, log });
}
