import { type Clock, EXECUTION_DEADLINE_MS, OWNER_AGAIN_MS, pause, within } from '@relaygate/shared';
import type { LinkAvailability, LocalLinks } from '../devices/presence';
import type { NodeStore } from '../nodes/node-store';
import type { CommandRouterDeps } from './command-router';
import { type AcceptedCommand, type CommandOrder, type DispatchAnswer, ELSEWHERE, SLOT_TAKEN } from './order';

export interface LinkWaitDeps {
  nodeName: string;
  links: Pick<LocalLinks, 'stateOf'>;
  store: Pick<NodeStore, 'productOwner'>;
  node: { readonly instance: string | undefined };
  dispatcher: CommandRouterDeps['local'];
  /** Whether a command of the product has the slot there, as one whose link was lost after it was sent. */
  isAtWork(productLogin: string): boolean;
  newCommandId(): string;
  clock: Clock;
}

/**
 * Of several nodes: a command whose product lost its link here a moment ago waits before it is recorded, because the device may come
 * to another node, which could not take a command that is recorded here. Meanwhile it has the product's command slot (I6), and t0 is
 * when it came.
 */
export class LinkWait {
  readonly #deps: LinkWaitDeps;
  /** By product; `isRevoked`: its device can come no more. */
  readonly #waiting = new Map<string, { isRevoked: boolean }>();
  readonly local = { dispatch: this.#dispatch.bind(this) };

  constructor(deps: LinkWaitDeps) {
    this.#deps = deps;
  }

  /** Ends a command that waits for the product's link, because no link of this device can come any more (I13). */
  deviceRevoked(productLogin: string): void {
    const waiting = this.#waiting.get(productLogin);
    if (waiting) waiting.isRevoked = true;
  }

  async #dispatch(order: CommandOrder, seen?: LinkAvailability, accepted?: AcceptedCommand): Promise<DispatchAnswer> {
    const { links, dispatcher, isAtWork, newCommandId, clock } = this.#deps;
    const { productLogin } = order;
    if (this.#waiting.has(productLogin) || isAtWork(productLogin)) return SLOT_TAKEN;
    const link = seen ?? links.stateOf(productLogin);
    if (link.kind !== 'recently-lost' || order.noDevice) return dispatcher.dispatch(order, link, accepted);
    const command = accepted ?? { commandId: newCommandId(), acceptedAtMs: clock.nowMs() };
    const waiting = { isRevoked: false };
    this.#waiting.set(productLogin, waiting);
    try {
      const found = await this.#linkOf(productLogin, waiting, command.acceptedAtMs + EXECUTION_DEADLINE_MS);
      return found ? await dispatcher.dispatch(order, found, command) : ELSEWHERE;
    } finally {
      this.#waiting.delete(productLogin);
    }
  }

  /** In the turn of the event loop in which it resolves. Undefined: another node has the product by now. */
  async #linkOf(
    productLogin: string,
    waiting: { readonly isRevoked: boolean },
    untilMs: number,
  ): Promise<LinkAvailability | undefined> {
    const { links, clock } = this.#deps;
    for (;;) {
      await pause(clock, OWNER_AGAIN_MS);
      const link = links.stateOf(productLogin);
      if (link.kind === 'up') return link;
      if (waiting.isRevoked || link.kind === 'down' || clock.nowMs() + OWNER_AGAIN_MS >= untilMs)
        return { kind: 'down' };
      // False if the database does not tell, or not in time.
      if (await within(clock, untilMs - clock.nowMs(), this.#isElsewhere(productLogin), false)) return undefined;
    }
  }

  async #isElsewhere(productLogin: string): Promise<boolean> {
    const { store, node, nodeName } = this.#deps;
    const owner = await store.productOwner(productLogin, node.instance ?? '');
    return owner !== undefined && owner.nodeName !== nodeName;
  }
}
