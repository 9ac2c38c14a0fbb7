import type { Clock } from '@relaygate/shared';
import type { LinkRegistry } from './link-registry';
import type { DevicePresence, LinkStatus } from './presence';

/** One node holds every link. */
export function localPresence(registry: LinkRegistry, clock: Clock): DevicePresence {
  return {
    linkOf: async () => null,
    statusOf: async (productLogin) => localStatus(registry, clock, productLogin),
    statusBy: (productLogin) => localStatus(registry, clock, productLogin),
  };
}

/** Null: no link of this node is up. */
export function localStatus(registry: LinkRegistry, clock: Clock, productLogin: string): LinkStatus | null {
  const link = registry.current(productLogin);
  return link?.isUp ? { silentMs: clock.nowMs() - link.lastFrameAtMs } : null;
}
