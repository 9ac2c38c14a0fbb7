import {
  type Cancel,
  type Clock,
  type CommandConfirmation,
  type CommandOutcome,
  MAX_UNRESOLVED_PER_WELCOME,
  type WallClock,
} from '@relaygate/shared';
import type { Log } from '../log';
import type { CommandStore, OutcomeRecord } from './command-store';
import type { OutcomeRecorder } from './outcome-recorder';

type Late = Omit<OutcomeRecord, 'writtenAtMs'>;

/** Which commands are open is asked again this often, while the database does not answer. */
const RETRY_MS = 1_000;

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
  /** Those that the database is being asked about. */
  readonly #asked = new Set<Late>();
  /** By product: what waits to be asked again. At most MAX_UNRESOLVED_PER_WELCOME of each: I15. */
  readonly #waiting = new Map<string, Set<Cancel>>();
  #isStopped = false;

  constructor(parts: LateOutcomesParts) {
    this.#parts = parts;
  }

  confirmed(productLogin: string, confirmation: CommandConfirmation): void {
    const { commandId, state, numOutput, reason } = confirmation;
    const observed = state === undefined || numOutput === undefined ? null : { numOutput, state };
    this.#record(productLogin, { commandId, outcome: lateOutcomeOf(confirmation), reason: reason ?? null, observed });
  }

  /** Only a command sent to this very boot of the device is known not to start any more. */
  notStarted(productLogin: string, bootId: string, commandIds: readonly string[]): void {
    if (commandIds.length === 0) return;
    const { store, log } = this.#parts;
    this.#read(productLogin, () => store.openCommands(productLogin, MAX_UNRESOLVED_PER_WELCOME)).then(
      (open) => {
        const certain = open.filter((command) => command.bootId === bootId && commandIds.includes(command.commandId));
        for (const { commandId } of certain) {
          this.#record(productLogin, { commandId, outcome: 'expired', reason: 'not-started', observed: null });
        }
      },
      (err) => log.error({ productLogin, err }, 'open commands not readable'),
    );
  }

  /** Newer news of the product has come, of all its outputs or of one: states that came before are not the latest (I11). */
  overtaken(productLogin: string, numOutput: number | null): void {
    this.#parts.outcomes.overtaken(productLogin, numOutput);
    for (const late of this.#asked) {
      const isTold = numOutput === null || late.observed?.numOutput === numOutput;
      if (late.productLogin === productLogin && isTold) late.observed = null;
    }
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

  #record(productLogin: string, told: Omit<Late, 'productLogin' | 'resolvedAtMs'>): void {
    const { store, outcomes, wallClock, log } = this.#parts;
    const late: Late = { ...told, productLogin, resolvedAtMs: wallClock.epochMs() };
    if (outcomes.isSettled(late.commandId)) return;
    this.#asked.add(late);
    this.#read(productLogin, () => store.isOpen(productLogin, late.commandId)).then(
      (open) => {
        this.#asked.delete(late);
        if (!open || outcomes.isSettled(late.commandId)) return;
        // Nothing newer has come meanwhile, or `observed` would be gone.
        if (late.observed) outcomes.overtaken(productLogin, late.observed.numOutput);
        outcomes.record(late);
        log.info({ productLogin, commandId: late.commandId, outcome: late.outcome }, 'late outcome');
      },
      (err) => {
        this.#asked.delete(late);
        log.error({ productLogin, commandId: late.commandId, err }, 'late outcome not recorded');
      },
    );
  }
}

function lateOutcomeOf({ outcome }: CommandConfirmation): CommandOutcome {
  return outcome === 'executed' || outcome === 'already-set' ? 'confirmed-late' : outcome;
}
