import { type Cancel, type Clock, MAX_COMMANDS_PER_SWEEP, PENDING_SWEEP_MS, type WallClock } from '@relaygate/shared';
import type { Log } from '../log/log';
import type { NodeMembership } from '../nodes/membership';
import type { CommandStore } from './command-store';
import type { Dispatcher } from './dispatcher';
import type { OutcomeRecorder } from './outcome-recorder';

export interface PendingSweepDeps {
  store: Pick<CommandStore, 'pendingCommands' | 'interruptCommands'>;
  dispatcher: Pick<Dispatcher, 'inFlight'>;
  outcomes: Pick<OutcomeRecorder, 'latest'>;
  node: Pick<NodeMembership, 'instance'>;
  clock: Clock;
  wallClock: WallClock;
  log: Log;
}

/**
 * Settles commands that nobody settles any more: those of this node, and of nodes whose lease is over. What was pending at two sweeps
 * in a row, and is neither in flight here nor waits here for its outcome to be written, becomes `unknown`. A command is in flight for a
 * fraction of the time between two sweeps (I6). It stays open, so a late report of its device still counts.
 */
export class PendingSweep {
  readonly #deps: PendingSweepDeps;
  #pendingBefore: ReadonlySet<string> = new Set();
  #isFailing = false;
  #isStopped = false;
  #cancel: Cancel = () => {};

  constructor(deps: PendingSweepDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#cancel = this.#deps.clock.after(PENDING_SWEEP_MS, () => void this.#sweep());
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async #sweep(): Promise<void> {
    const { log } = this.#deps;
    try {
      const count = await this.#settle();
      this.#isFailing = false;
      if (count > 0) log.warn({ count }, 'commands without an outcome are unknown now');
    } catch (err) {
      if (!this.#isFailing) log.error({ err }, 'commands without an outcome not settled, tried again');
      this.#isFailing = true;
    }
    if (!this.#isStopped) this.start();
  }

  async #settle(): Promise<number> {
    const { store, dispatcher, outcomes, node, wallClock } = this.#deps;
    const ofNode = node.instance === undefined ? [] : ([node.instance] as const);
    const pending = await store.pendingCommands(MAX_COMMANDS_PER_SWEEP, ...ofNode);
    const inFlight = dispatcher.inFlight();
    const isAttended = (commandId: string): boolean =>
      inFlight.has(commandId) || outcomes.latest(commandId) !== undefined;
    const lost = pending.filter((commandId) => this.#pendingBefore.has(commandId) && !isAttended(commandId));
    const count = lost.length === 0 ? 0 : await store.interruptCommands(lost, wallClock.epochMs());
    this.#pendingBefore = new Set(pending);
    return count;
  }
}
