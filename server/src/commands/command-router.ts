import { type Clock, EXECUTION_DEADLINE_MS, OWNER_AGAIN_MS, RESPONSE_DEADLINE_MS } from '@relaygate/shared';
import type { DevicePresence, LinkAvailability, LocalLinks } from '../devices/presence';
import {
  type CommandAnswer,
  type CommandOrder,
  type CommandRouter,
  NO_ANSWER,
  NOT_ROUTED,
  type NodeRouter,
  type RoutedAnswer,
  type RoutedCommand,
} from './order';

/**
 * The owner's deadlines (I2) and the freshness of the access that was read (I13) count from the hand-over, so nothing
 * before it may take long.
 */
export const OWNER_LOOKUP_MS = 100;
/** An owner answers within RESPONSE_DEADLINE_MS of the hand-over; its answer may take this much longer to arrive (I6). */
const ANSWER_MARGIN_MS = 100;
export const ROUTE_TIMEOUT_MS = RESPONSE_DEADLINE_MS + ANSWER_MARGIN_MS;

/** 504: no node took the command while it could begin. */
const NO_OWNER: CommandAnswer = { kind: 'error', code: 'device-timeout', isUnrecorded: true };

export interface CommandRouterDeps {
  nodeName: string;
  /** Those of this node. */
  links: Pick<LocalLinks, 'stateOf'>;
  presence: Pick<DevicePresence, 'linkOf'>;
  /**
   * This node, which also takes commands for products without a link. `link`: its state in this turn of the event loop; without it,
   * the node looks for itself. `accepted`: as in the Dispatcher.
   */
  local: {
    dispatch(
      order: CommandOrder,
      link?: LinkAvailability,
      accepted?: Pick<RoutedCommand, 'commandId' | 'acceptedAtMs'>,
    ): Promise<CommandAnswer>;
  };
  nodeOf: NodeRouter['nodeOf'];
  /** A fresh UUID version 7, for a command that goes to another node. */
  newCommandId(): string;
  clock: Clock;
}

/**
 * Passes each command to the node that holds the product's link; if that is this node, it asks nobody. A node that does not take
 * a command may have lost the link to another, so its owner is looked for again until EXECUTION_DEADLINE_MS. Answers within
 * OWNER_LOOKUP_MS + ROUTE_TIMEOUT_MS. Rejects only like the `dispatch` of this node.
 */
export function commandRouter(deps: CommandRouterDeps): CommandRouter {
  const { nodeName, links, presence, local, nodeOf, newCommandId, clock } = deps;

  /** Undefined: it cannot be told. */
  async function ownerOf(productLogin: string): Promise<{ nodeName: string; epoch: number } | null | undefined> {
    return within(clock, OWNER_LOOKUP_MS, presence.linkOf(productLogin), undefined);
  }

  async function toOwner(order: CommandOrder): Promise<CommandAnswer> {
    const acceptedAtMs = clock.nowMs();
    let commandId: string | undefined;
    for (let attempt = 1; ; attempt += 1) {
      const link = await ownerOf(order.productLogin);
      if (link === undefined) return NOT_ROUTED;
      let answer: RoutedAnswer = { kind: 'not-taken' };
      if (link === null || link.nodeName === nodeName) {
        if (commandId === undefined) return within(clock, ROUTE_TIMEOUT_MS, local.dispatch(order), NO_ANSWER);
        // The link has come here; or it is nowhere yet, and may come.
        if (link !== null) return local.dispatch(order, undefined, { commandId, acceptedAtMs });
      } else {
        const node = nodeOf(link.nodeName);
        if (!node) return NOT_ROUTED;
        commandId ??= newCommandId();
        const command: RoutedCommand = { commandId, order, acceptedAtMs, epoch: link.epoch, attempt };
        const leftMs = acceptedAtMs + ROUTE_TIMEOUT_MS - clock.nowMs();
        answer = await within<RoutedAnswer>(clock, Math.max(0, leftMs), node.dispatch(command), NO_ANSWER);
      }
      if (answer.kind !== 'not-taken') return answer;
      if (clock.nowMs() + OWNER_AGAIN_MS >= acceptedAtMs + EXECUTION_DEADLINE_MS) return NO_OWNER;
      await pause(clock, OWNER_AGAIN_MS);
    }
  }

  return {
    async dispatch(order) {
      const link = links.stateOf(order.productLogin);
      return link.kind === 'up' ? local.dispatch(order, link) : toOwner(order);
    },
  };
}

function pause(clock: Clock, forMs: number): Promise<void> {
  return new Promise((resolve) => void clock.after(forMs, resolve));
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
