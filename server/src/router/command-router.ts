import { type Clock, RESPONSE_DEADLINE_MS } from '@relaygate/shared';
import type { CommandAnswer, CommandOrder, CommandRouter } from '../commands/order';
import type { DevicePresence } from '../devices/presence';

/** An owner answers within RESPONSE_DEADLINE_MS; its answer may take this much longer to arrive (I6). */
const ANSWER_MARGIN_MS = 100;
export const ROUTE_TIMEOUT_MS = RESPONSE_DEADLINE_MS + ANSWER_MARGIN_MS;

/** 500: the command certainly went to no node. */
const NOT_ROUTED: CommandAnswer = { kind: 'error', code: 'unknown', isUnrecorded: true };
/** 504: the command may have reached its device. */
const NO_ANSWER: CommandAnswer = { kind: 'error', code: 'device-timeout' };

export interface CommandRouterDeps {
  nodeName: string;
  presence: DevicePresence;
  /** This node, which also takes commands for products without a link. */
  local: CommandRouter;
  /** Another node; undefined when there is none of this name. */
  nodeOf(nodeName: string): CommandRouter | undefined;
  clock: Clock;
}

/** Passes each command to the node that holds the product's link. Never rejects; answers within ROUTE_TIMEOUT_MS. */
export function commandRouter({ nodeName, presence, local, nodeOf, clock }: CommandRouterDeps): CommandRouter {
  const dispatch = (order: CommandOrder): Promise<CommandAnswer> =>
    new Promise((answer) => {
      let isHandedOver = false;
      let isOver = false;
      const settle = (given: CommandAnswer): void => {
        isOver = true;
        cancel();
        answer(given);
      };
      const fail = (): void => settle(isHandedOver ? NO_ANSWER : NOT_ROUTED);
      const cancel = clock.after(ROUTE_TIMEOUT_MS, fail);
      const handOver = async (): Promise<CommandAnswer> => {
        const link = await presence.linkOf(order.productLogin);
        const node = link === null || link.nodeName === nodeName ? local : nodeOf(link.nodeName);
        // I2: after the answer nothing may start.
        if (isOver || !node) return NOT_ROUTED;
        isHandedOver = true;
        return node.dispatch(order);
      };
      handOver().then(settle, fail);
    });
  return { dispatch };
}
