import {
  type CommandConfirmation,
  type CommandOutcome,
  MAX_UNRESOLVED_PER_WELCOME,
  type WallClock,
} from '@relaygate/shared';
import type { Log } from '../log';
import type { CommandStore, OutcomeRecord } from './command-store';
import type { OutcomeRecorder } from './outcome-recorder';

type Late = Omit<OutcomeRecord, 'writtenAtMs'>;

/**
 * What devices say of commands that nobody waits for any more. Matched by device and command id only; updates the
 * audit and the known state, and answers no request (I10). What is not open, or another device's, is passed over.
 */
export class LateOutcomes {
  readonly #store: CommandStore;
  readonly #outcomes: OutcomeRecorder;
  readonly #wallClock: WallClock;
  readonly #log: Log;
  /** Those that the database is being asked about. */
  readonly #asked = new Set<Late>();

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

  /** Newer news of the product has come, of all its outputs or of one: states that came before are not the latest (I11). */
  overtaken(productLogin: string, numOutput: number | null): void {
    this.#outcomes.overtaken(productLogin, numOutput);
    for (const late of this.#asked) {
      const isTold = numOutput === null || late.observed?.numOutput === numOutput;
      if (late.productLogin === productLogin && isTold) late.observed = null;
    }
  }

  #record(productLogin: string, told: Omit<Late, 'productLogin' | 'resolvedAtMs'>): void {
    const late: Late = { ...told, productLogin, resolvedAtMs: this.#wallClock.epochMs() };
    if (this.#outcomes.isSettled(late.commandId)) return;
    this.#asked.add(late);
    this.#store.isOpen(productLogin, late.commandId).then(
      (open) => {
        this.#asked.delete(late);
        if (!open || this.#outcomes.isSettled(late.commandId)) return;
        // Nothing newer has come meanwhile, or `observed` would be gone.
        if (late.observed) this.#outcomes.overtaken(productLogin, late.observed.numOutput);
        this.#outcomes.record(late);
        this.#log.info({ productLogin, commandId: late.commandId, outcome: late.outcome }, 'late outcome');
      },
      (err) => {
        this.#asked.delete(late);
        this.#log.error({ productLogin, commandId: late.commandId, err }, 'late outcome not recorded');
      },
    );
  }
}

function lateOutcomeOf({ outcome }: CommandConfirmation): CommandOutcome {
  return outcome === 'executed' || outcome === 'already-set' ? 'confirmed-late' : outcome;
}
