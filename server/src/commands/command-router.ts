import {
  type Clock,
  EXECUTION_DEADLINE_MS,
  OWNER_AGAIN_MS,
  pause,
  RESPONSE_DEADLINE_MS,
  STORAGE_WRITE_TIMEOUT_MS,
  within,
} from '@relaygate/shared';
import type { DevicePresence, LinkAvailability, LinkPresence, LocalLinks } from '../devices/presence';
import {
  type AcceptedCommand,
  type CommandAnswer,
  type CommandOrder,
  type CommandRouter,
  type DispatchAnswer,
  NO_ANSWER,
  NOT_ROUTED,
  type NodeRouter,
  type RoutedAnswer,
  type RoutedCommand,
  SLOT_TAKEN,
} from './order';

/** A product without an owner gets one by a write. */
export const OWNER_LOOKUP_MS = STORAGE_WRITE_TIMEOUT_MS;
/** An owner answers within RESPONSE_DEADLINE_MS of t0; its answer may take this much longer to arrive (I6). */
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
    dispatch(order: CommandOrder, link?: LinkAvailability, accepted?: AcceptedCommand): Promise<DispatchAnswer>;
  };
  nodeOf: NodeRouter['nodeOf'];
  /** A fresh UUID version 7, for a command that goes to another node. */
  newCommandId(): string;
  clock: Clock;
}

/**
 * Passes each command to the node that owns the product. It asks nobody who that is if this node holds the link, or if the
 * authorisation has read another node. A node that does not take a command may have lost the product to another, so the owner is read
 * again until EXECUTION_DEADLINE_MS, also where the database does not answer; 500 only if it never did. All of it counts from the
 * call (I2, I6, I13): answers within ROUTE_TIMEOUT_MS. Rejects only like the `dispatch` of this node.
 */
export function commandRouter(deps: CommandRouterDeps): CommandRouter {
  const { nodeName, links, presence, local, nodeOf, newCommandId, clock } = deps;
  /** Products whose command looks for its owner: it must not be overtaken by a later one (I6). */
  const waiting = new Set<string>();

  /** Undefined: it cannot be told. */
  async function ownerOf(
    productLogin: string,
    acceptedAtMs: number,
    known: LinkPresence | undefined,
  ): Promise<LinkPresence | null | undefined> {
    const leftMs = acceptedAtMs + EXECUTION_DEADLINE_MS - clock.nowMs();
    return within(clock, Math.min(OWNER_LOOKUP_MS, leftMs), presence.linkOf(productLogin, known), undefined);
  }

  async function toOwner(order: CommandOrder, acceptedAtMs: number): Promise<DispatchAnswer> {
    const { productLogin } = order;
    if (waiting.has(productLogin)) return SLOT_TAKEN;
    waiting.add(productLogin);
    try {
      return await untilTaken(order, acceptedAtMs);
    } finally {
      waiting.delete(productLogin);
    }
  }

  async function untilTaken(order: CommandOrder, acceptedAtMs: number): Promise<DispatchAnswer> {
    let commandId: string | undefined;
    for (let attempt = 1; ; attempt += 1) {
      const owner = await ownerOf(order.productLogin, acceptedAtMs, attempt === 1 ? order.owner : undefined);
      if (owner === null) return local.dispatch(order);
      if (owner) {
        commandId ??= newCommandId();
        const leftMs = acceptedAtMs + ROUTE_TIMEOUT_MS - clock.nowMs();
        const trying = attemptAt(owner, { commandId, acceptedAtMs, order, attempt });
        const answer = await within<RoutedAnswer>(clock, leftMs, trying, NO_ANSWER);
        // In doubt: whoever asks for the outcome by this id learns whether a node has recorded it.
        if (answer === NO_ANSWER) return { ...NO_ANSWER, commandId };
        if (isFinal(answer)) return answer;
        if (answer.kind === 'nobody' && !owner.isWorthWaiting) return NO_OWNER;
      }
      if (clock.nowMs() + OWNER_AGAIN_MS >= acceptedAtMs + EXECUTION_DEADLINE_MS)
        return commandId === undefined ? NOT_ROUTED : NO_OWNER;
      await pause(clock, OWNER_AGAIN_MS);
    }
  }

  async function attemptAt(owner: LinkPresence, command: Omit<RoutedCommand, 'epoch'>): Promise<RoutedAnswer> {
    const { order, commandId, acceptedAtMs } = command;
    if (owner.nodeName === nodeName) return local.dispatch(order, undefined, { commandId, acceptedAtMs });
    return nodeOf(owner.nodeName)?.dispatch({ ...command, epoch: owner.epoch }) ?? NOT_ROUTED;
  }

  return {
    async dispatch(order) {
      const acceptedAtMs = clock.nowMs();
      if (waiting.has(order.productLogin)) return SLOT_TAKEN;
      const link = links.stateOf(order.productLogin);
      if (link.kind !== 'up') return toOwner(order, acceptedAtMs);
      const answer = await local.dispatch(order, link);
      if (isFinal(answer)) return answer;
      const { owner: _outOfDate, ...refused } = order;
      return toOwner(refused, acceptedAtMs);
    },
  };
}

/** False: certainly nobody has recorded the command. */
function isFinal(answer: RoutedAnswer): answer is DispatchAnswer {
  if (answer.kind === 'not-taken' || answer.kind === 'nobody') return false;
  return answer.kind !== 'error' || !answer.isElsewhere;
}
