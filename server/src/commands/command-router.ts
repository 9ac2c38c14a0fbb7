import { type Clock, RESPONSE_DEADLINE_MS } from '@relaygate/shared';
import type { DevicePresence, LinkAvailability, LocalLinks } from '../devices/presence';
import type { CommandAnswer, CommandOrder, CommandRouter } from './order';

/**
 * The owner's deadlines (I2) and the freshness of the access that was read (I13) count from the hand-over, so nothing
 * before it may take long.
 */
export const OWNER_LOOKUP_MS = 100;
/** An owner answers within RESPONSE_DEADLINE_MS of the hand-over; its answer may take this much longer to arrive (I6). */
const ANSWER_MARGIN_MS = 100;
export const ROUTE_TIMEOUT_MS = RESPONSE_DEADLINE_MS + ANSWER_MARGIN_MS;

/** 500: the command certainly went to no node. */
const NOT_ROUTED: CommandAnswer = { kind: 'error', code: 'unknown', isUnrecorded: true };
/** 504: the command may have reached its device. */
const NO_ANSWER: CommandAnswer = { kind: 'error', code: 'device-timeout' };

export interface CommandRouterDeps {
  nodeName: string;
  /** Those of this node. */
  links: Pick<LocalLinks, 'stateOf'>;
  presence: Pick<DevicePresence, 'linkOf'>;
  /**
   * This node, which also takes commands for products without a link. `link`: its state in this turn of the event loop; without it,
   * the node looks for itself.
   */
  local: { dispatch(order: CommandOrder, link?: LinkAvailability): Promise<CommandAnswer> };
  /** Another node; undefined when there is none of this name. */
  nodeOf(nodeName: string): CommandRouter | undefined;
  clock: Clock;
}

/**
 * Passes each command to the node that holds the product's link; if that is this node, it asks nobody. Answers within
 * OWNER_LOOKUP_MS + ROUTE_TIMEOUT_MS. Rejects only like the `dispatch` of this node.
 */
export function commandRouter({ nodeName, links, presence, local, nodeOf, clock }: CommandRouterDeps): CommandRouter {
  async function ownerOf(productLogin: string): Promise<CommandRouter | undefined> {
    const link = await presence.linkOf(productLogin);
    return link === null || link.nodeName === nodeName ? local : nodeOf(link.nodeName);
  }
  return {
    async dispatch(order) {
      const link = links.stateOf(order.productLogin);
      if (link.kind === 'up') return local.dispatch(order, link);
      const owner = await within(clock, OWNER_LOOKUP_MS, ownerOf(order.productLogin), undefined);
      return owner ? within(clock, ROUTE_TIMEOUT_MS, owner.dispatch(order), NO_ANSWER) : NOT_ROUTED;
    },
  };
}

/** What `given` resolves to, or `instead` when it rejects or takes longer. */
function within<T>(clock: Clock, limitMs: number, given: Promise<T>, instead: T): Promise<T> {
  return new Promise((resolve) => {
    const settle = (value: T): void => {
      cancel();
      resolve(value);
    };
    const cancel = clock.after(limitMs, () => resolve(instead));
    given.then(settle, () => settle(instead));
  });
}
