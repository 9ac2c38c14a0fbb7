import type { Cancel, Clock } from '@relaygate/shared';
import type { Log } from '../log/log';
import type { NodeMembership } from '../nodes/membership';
import type { NodeStore } from '../nodes/node-store';
import type { LinkRegistry } from './link-registry';

/** An older link ends within 1 s of a newer one on another node. */
const ASK_EVERY_MS = 250;

/** Closes links of this node whose product another node owns by now (I12). */
export function watchTakeovers(deps: {
  store: Pick<NodeStore, 'linksSince'>;
  registry: LinkRegistry;
  node: NodeMembership;
  clock: Clock;
  log: Log;
}): Cancel {
  const { store, registry, node, clock, log } = deps;
  let seen: ReadonlyMap<number, number> = new Map();
  let failing = false;
  let stopped = false;
  let cancel: Cancel = () => {};

  const ask = async (): Promise<void> => {
    try {
      const { links, cursor } = await store.linksSince(seen);
      for (const { productLogin, epoch, node: owner } of links) {
        const link = registry.current(productLogin);
        if (link && link.held.epoch < epoch && owner !== node.instance) link.replace();
      }
      seen = cursor;
      failing = false;
    } catch (err) {
      if (!failing) log.error({ err }, 'links of other nodes not readable');
      failing = true;
    }
    if (!stopped) cancel = clock.after(ASK_EVERY_MS, () => void ask());
  };
  void ask();
  return () => {
    stopped = true;
    cancel();
  };
}
