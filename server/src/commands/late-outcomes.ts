import {
  type Cancel,
  type Clock,
  type CommandOutcome,
  MAX_UNRESOLVED_PER_WELCOME,
  type WallClock,
} from '@relaygate/shared';
import type { Log } from '../log';
import { fitting, toldBy } from './asked-command';
import type { AskedCommand, CommandStore, OutcomeRecord } from './command-store';
import type { HeardConfirmation } from './heard';
import type { OutcomeRecorder } from './outcome-recorder';

/** Which commands are open is asked again this often, while the database does not answer. */
const RETRY_MS = 1_000;

type Told = Pick<OutcomeRecord, 'outcome' | 'reason' | 'observed'>;
const NOT_STARTED: Told = { outcome: 'expired', reason: 'not-started', observed: null };

export interface LateOutcomesParts {
  store: CommandStore;
  outcomes: OutcomeRecorder;
  clock: Clock;
  wallClock: WallClock;
  log: Log;
}

/**
 * What devices say of commands that nobody waits for any more. Matched by device and command id only; updates the
 * audit and the known state, and answers no request (I10). What is not open, or another device's, is passed over.
 */
export class LateOutcomes {
  readonly #parts: LateOutcomesParts;
  /** By product: what waits to be asked again. At most MAX_UNRESOLVED_PER_WELCOME of each: I15. */
  readonly #waiting = new Map<string, Set<Cancel>>();
  #isStopped = false;

  constructor(parts: LateOutcomesParts) {
    this.#parts = parts;
  }

  confirmed(productLogin: string, confirmation: HeardConfirmation): void {
    this.#record(productLogin, confirmation.commandId, (asked) => {
      const answer = fitting(asked, confirmation);
      return { outcome: lateOutcomeOf(answer), ...toldBy(asked, answer, this.#parts.log) };
    });
  }

  /** Only a command sent to this very boot of the device is known not to start any more. */
  notStarted(productLogin: string, bootId: string, commandIds: readonly string[]): void {
    if (commandIds.length === 0) return;
    const { store, log } = this.#parts;
    this.#read(productLogin, () => store.openCommands(productLogin, MAX_UNRESOLVED_PER_WELCOME)).then(
      (open) => {
        const certain = open.filter((command) => command.bootId === bootId && commandIds.includes(command.commandId));
        for (const { commandId } of certain) {
          this.#record(productLogin, commandId, () => NOT_STARTED);
        }
      },
      (err) => log.error({ productLogin, err }, 'open commands not readable'),
    );
  }

  /** The server stops: what waits is asked of the devices again after the next start. */
  stop(): void {
    this.#isStopped = true;
    for (const cancel of [...this.#waiting.values()].flatMap((cancels) => [...cancels])) cancel();
    this.#waiting.clear();
  }

  /** As soon as the database answers. Rejects when too much of the product waits already, or the server stops. */
  async #read<T>(productLogin: string, read: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await read();
      } catch (error) {
        const waiting = this.#waiting.get(productLogin) ?? new Set();
        if (this.#isStopped || waiting.size >= MAX_UNRESOLVED_PER_WELCOME) throw error;
        this.#waiting.set(productLogin, waiting);
        await this.#pause(productLogin, waiting);
      }
    }
  }

  #pause(productLogin: string, waiting: Set<Cancel>): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#parts.clock.after(RETRY_MS, () => {
        waiting.delete(cancel);
        if (waiting.size === 0) this.#waiting.delete(productLogin);
        resolve();
      });
      waiting.add(cancel);
    });
  }

  #record(productLogin: string, commandId: string, told: (asked: AskedCommand) => Told): void {
    const { store, outcomes, wallClock, log } = this.#parts;
    const resolvedAtMs = wallClock.epochMs();
    if (outcomes.isSettled(commandId)) return;
    this.#read(productLogin, () => store.findOpen(productLogin, commandId)).then(
      (asked) => {
        if (!asked || outcomes.isSettled(commandId)) return;
        const late: OutcomeRecord = { commandId, productLogin, resolvedAtMs, ...told(asked) };
        outcomes.record(late);
        log.info({ productLogin, commandId, outcome: late.outcome }, 'late outcome');
      },
      (err) => log.error({ productLogin, commandId, err }, 'late outcome not recorded'),
    );
  }
}

function lateOutcomeOf({ outcome }: HeardConfirmation): CommandOutcome {
  return outcome === 'executed' || outcome === 'already-set' ? 'confirmed-late' : outcome;
}
