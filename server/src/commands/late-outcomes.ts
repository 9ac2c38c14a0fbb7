import {
  type CommandConfirmation,
  type CommandOutcome,
  MAX_UNRESOLVED_PER_WELCOME,
  type WallClock,
} from '@relaygate/shared';
import type { Log } from '../log';
import type { CommandStore, OutcomeRecord } from './command-store';
import type { OutcomeRecorder } from './outcome-recorder';

/**
 * What devices say of commands that nobody waits for any more. Matched by device and command id only; updates the
 * audit and the known state, and answers no request (I10). What is not open, or another device's, is passed over.
 */
export class LateOutcomes {
  readonly #store: CommandStore;
  readonly #outcomes: OutcomeRecorder;
  readonly #wallClock: WallClock;
  readonly #log: Log;

  constructor(store: CommandStore, outcomes: OutcomeRecorder, wallClock: WallClock, log: Log) {
    this.#store = store;
    this.#outcomes = outcomes;
    this.#wallClock = wallClock;
    this.#log = log;
  }

  confirmed(productLogin: string, confirmation: CommandConfirmation): void {
    const { commandId, state, numOutput, reason } = confirmation;
    const observed = state === undefined || numOutput === undefined ? null : { numOutput, state };
    this.#record(productLogin, { commandId, outcome: lateOutcomeOf(confirmation), reason: reason ?? null, observed });
  }

  /** Only a command sent to this very boot of the device is known not to start any more. */
  notStarted(productLogin: string, bootId: string, commandIds: readonly string[]): void {
    if (commandIds.length === 0) return;
    this.#store.openCommands(productLogin, MAX_UNRESOLVED_PER_WELCOME).then(
      (open) => {
        const certain = open.filter((command) => command.bootId === bootId && commandIds.includes(command.commandId));
        for (const { commandId } of certain) {
          this.#record(productLogin, { commandId, outcome: 'expired', reason: 'not-started', observed: null });
        }
      },
      (err) => this.#log.error({ productLogin, err }, 'open commands not readable'),
    );
  }

  #record(productLogin: string, late: Pick<OutcomeRecord, 'commandId' | 'outcome' | 'reason' | 'observed'>): void {
    if (this.#outcomes.isSettled(late.commandId)) return;
    // While the database is asked, a report may overtake it.
    const resolvedAtMs = this.#wallClock.epochMs();
    this.#store.isOpen(productLogin, late.commandId).then(
      (open) => {
        if (!open || this.#outcomes.isSettled(late.commandId)) return;
        this.#outcomes.record({ ...late, productLogin, resolvedAtMs });
        this.#log.info({ productLogin, commandId: late.commandId, outcome: late.outcome }, 'late outcome');
      },
      (err) => this.#log.error({ productLogin, commandId: late.commandId, err }, 'late outcome not recorded'),
    );
  }
}

function lateOutcomeOf({ outcome }: CommandConfirmation): CommandOutcome {
  return outcome === 'executed' || outcome === 'already-set' ? 'confirmed-late' : outcome;
}
