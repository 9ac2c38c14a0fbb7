import { type Clock, RelaygateError } from '@relaygate/shared';
import type { NodeMembership } from '../nodes/membership';
import type { NodeStore, ProductOwner } from '../nodes/node-store';
import type { LinkRegistry } from './link-registry';
import { localStatus } from './local-presence';
import type { DevicePresence, LinkStatus, RecordedLink } from './presence';

export interface SharedPresenceDeps {
  nodeName: string;
  registry: LinkRegistry;
  store: Pick<NodeStore, 'productOwner' | 'claimProduct'>;
  node: NodeMembership;
  clock: Clock;
}

/** Several nodes hold the links: the product's row names its owner. */
export function sharedPresence({ nodeName, registry, store, node, clock }: SharedPresenceDeps): DevicePresence {
  const ownerOf = (productLogin: string): Promise<ProductOwner | undefined> =>
    store.productOwner(productLogin, node.instance ?? '');
  const elsewhere = (recorded: RecordedLink | undefined): LinkStatus | null => {
    // Of its own links this node knows best.
    const isElsewhere = recorded?.isConnected && recorded.nodeName !== null && recorded.nodeName !== nodeName;
    return isElsewhere ? { silentMs: undefined } : null;
  };
  return {
    async linkOf(productLogin, known) {
      // If it is this node, which has no link of the product, it is read again.
      if (known && known.nodeName !== nodeName) return known;
      let owner = await ownerOf(productLogin);
      if (!owner?.nodeName) {
        const isWorthWaiting = owner?.isWorthWaiting;
        await store.claimProduct(productLogin, node.instance ?? '');
        owner = await ownerOf(productLogin);
        if (isWorthWaiting && owner?.nodeName === nodeName) registry.lostElsewhere(productLogin);
      }
      // Then this node may not take a command either: its own lease is over.
      if (!owner?.nodeName) throw new RelaygateError('unknown', 'No node has a lease for the product.');
      return { nodeName: owner.nodeName, epoch: owner.epoch, isWorthWaiting: owner.isWorthWaiting };
    },

    async statusOf(productLogin) {
      return localStatus(registry, clock, productLogin) ?? elsewhere(await ownerOf(productLogin));
    },

    statusBy: (productLogin, recorded) => localStatus(registry, clock, productLogin) ?? elsewhere(recorded),
  };
}
