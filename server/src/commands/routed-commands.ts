import { AUTHORISATION_FRESH_MS, type Clock, EXECUTION_DEADLINE_MS } from '@relaygate/shared';
import type { LocalLinks } from '../devices/presence';
import { type CommandRouterDeps, ROUTE_TIMEOUT_MS } from './command-router';
import type { CommandAccess, CommandStore } from './command-store';
import { refusalOf, withAccess } from './drive-output';
import { KnownCommands } from './known-commands';
import { type CommandAnswer, type CommandOrder, type DispatchAnswer, NOT_ROUTED, type RoutedCommand } from './order';

/**
 * `not-owner`, `late`, `busy`: the command is not recorded. `other-clock`: nor is this one, because its t0 lies in the future, so
 * the node that sent it is wrong about the clock here.
 */
export type OwnerAnswer = DispatchAnswer | { kind: 'not-owner' | 'late' | 'busy' | 'other-clock' };

export interface RoutedCommandsDeps {
  clock: Clock;
  store: Pick<CommandStore, 'readAccess'>;
  links: Pick<LocalLinks, 'stateOf'>;
  local: CommandRouterDeps['local'];
  /** Whether this node takes the product's commands: it holds the link, and none that is older than `epoch`. */
  takes(productLogin: string, epoch: number): boolean;
}

/**
 * The owner's side of commands that other nodes have accepted. Each command runs at most once, whatever is repeated (I1), begins
 * before its deadline on this node's clock (I2), and is recorded only while its client may give it (I13).
 */
export class RoutedCommands {
  readonly #deps: RoutedCommandsDeps;
  readonly #known: KnownCommands;

  constructor(deps: RoutedCommandsDeps) {
    this.#deps = deps;
    // An honest t0 is not in the future, so by then each repetition is too late.
    this.#known = new KnownCommands(deps.clock, ROUTE_TIMEOUT_MS);
  }

  /**
   * Undefined for a repetition, which gets no answer: the first message gets it, and whoever repeats it must not be able to answer
   * for it. Rejects never.
   */
  async take(command: RoutedCommand): Promise<OwnerAnswer | undefined> {
    const { clock, local, takes } = this.#deps;
    const { commandId, acceptedAtMs, order, epoch } = command;
    if (acceptedAtMs > clock.nowMs()) return { kind: 'other-clock' };
    const noted = this.#known.take(commandId, command.attempt);
    if (noted === 'repeated') return undefined;
    if (noted === 'full') return { kind: 'busy' };
    if (this.#isLate(command)) return { kind: 'late' };
    const authorised = await this.#authorised(command);
    if (authorised === NOT_ROUTED) return NOT_ROUTED;
    if (this.#isLate(command)) return { kind: 'late' };
    if ('kind' in authorised) return authorised;
    if (!takes(order.productLogin, epoch)) {
      this.#known.giveBack(commandId);
      return { kind: 'not-owner' };
    }
    const answer = await local.dispatch(authorised, undefined, { commandId, acceptedAtMs });
    if (answer.kind !== 'error' || !answer.isElsewhere) return answer;
    // The record was refused, because another node owns the product.
    this.#known.giveBack(commandId);
    return { kind: 'not-owner' };
  }

  /**
   * Not read again if the other node has just read it, and the device is linked: nothing is recorded then unless the client may drive
   * the output.
   */
  async #authorised({ order, acceptedAtMs }: RoutedCommand): Promise<CommandOrder | CommandAnswer> {
    const { clock, links, store } = this.#deps;
    const isFresh = order.by !== undefined && clock.nowMs() - acceptedAtMs < AUTHORISATION_FRESH_MS;
    if (isFresh && links.stateOf(order.productLogin).kind === 'up') return order;
    let access: CommandAccess | undefined;
    try {
      access = await store.readAccess(order.clientId, order.productLogin, order.numOutput);
    } catch {
      return NOT_ROUTED;
    }
    const code = refusalOf(access);
    return code ? { kind: 'error', code } : withAccess(order, access);
  }

  #isLate({ acceptedAtMs }: RoutedCommand): boolean {
    return this.#deps.clock.nowMs() >= acceptedAtMs + EXECUTION_DEADLINE_MS;
  }
}
