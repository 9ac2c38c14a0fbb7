import type { Clock } from '@relaygate/shared';
import type { LinkRegistry } from './link-registry';
import type { DevicePresence } from './presence';

/** One node holds every link. */
export function localPresence(nodeName: string, registry: LinkRegistry, clock: Clock): DevicePresence {
  return {
    async linkOf(productLogin) {
      const link = registry.current(productLogin);
      if (!link?.isUp) return null;
      return { nodeName, epoch: link.held.epoch, silentMs: clock.nowMs() - link.lastFrameAtMs };
    },
  };
}
