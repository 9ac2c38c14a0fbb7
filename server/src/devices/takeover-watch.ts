import type { Cancel, Clock } from '@relaygate/shared';
import type { ChangeStore } from '../changes/change';
import type { Log } from '../log/log';
import type { NodeMembership } from '../nodes/membership';
import type { NodeStore } from '../nodes/node-store';
import { watchDatabase } from './database-watch';
import type { LinkRegistry } from './link-registry';

/** Closes links of this node whose product another node owns by now, within 1 s (I12). */
export function watchTakeovers(deps: {
  store: Pick<NodeStore, 'linksSince'> & Pick<ChangeStore, 'changeCursor'>;
  registry: LinkRegistry;
  node: NodeMembership;
  clock: Clock;
  log: Log;
}): Cancel {
  const { store, registry, node, clock, log } = deps;
  let seen: ReadonlyMap<number, number> | undefined;
  const ask = async (): Promise<void> => {
    // There was no link here before, and what each link finds at its opening it looks at itself.
    seen ??= await store.changeCursor();
    const { links, cursor } = await store.linksSince(seen);
    for (const { productLogin, epoch, node: owner, isConnected } of links) {
      const link = registry.current(productLogin);
      if (!link || link.held.epoch >= epoch || owner === node.instance) continue;
      // A claim says nothing of another device: this one may come again at once.
      if (isConnected) link.replace();
      else link.closeForRestart();
    }
    seen = cursor;
  };
  return watchDatabase(ask, { failure: 'links of other nodes not readable', clock, log });
}
