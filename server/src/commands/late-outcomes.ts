import { type Cancel, type Clock, MAX_UNRESOLVED_PER_WELCOME, type WallClock } from '@relaygate/shared';
import { DATABASE_RETRY_MS } from '../database-retry';
import type { DeviceConfirmation } from '../devices/frame-version';
import type { Log } from '../log/log';
import { answerTo, reportOf } from './asked-command';
import type { AskedCommand, CommandStore, OutcomeRecord, ResolvedOutcome } from './command-store';
import type { OutcomeRecorder } from './outcome-recorder';

type LateOutcome = Pick<OutcomeRecord, 'outcome' | 'reason' | 'observed'>;
const NOT_STARTED: LateOutcome = { outcome: 'expired', reason: 'not-started', observed: null };

export interface LateOutcomesDeps {
  store: Pick<CommandStore, 'findOpen' | 'openCommands'>;
  outcomes: OutcomeRecorder;
  clock: Clock;
  wallClock: WallClock;
  log: Log;
}

/**
 * Outcomes that arrive when nobody waits for the command any more. They are matched by device and command id only; they
 * update the audit and the known state, and answer no request (I10). Outcomes of commands that are not open, or of
 * another device, are ignored.
 */
export class LateOutcomes {
  readonly #deps: LateOutcomesDeps;
  /** By product: the readings that wait to be tried again. At most MAX_UNRESOLVED_PER_WELCOME of each (I15). */
  readonly #waiting = new Map<string, Set<Cancel>>();
  #isStopped = false;

  constructor(deps: LateOutcomesDeps) {
    this.#deps = deps;
  }

  confirmed(productLogin: string, confirmation: DeviceConfirmation): void {
    this.#record(productLogin, confirmation.commandId, (asked) => {
      const answer = answerTo(asked, confirmation);
      return { outcome: lateOutcomeOf(answer), ...reportOf(asked, answer, this.#deps.log) };
    });
  }

  /** Counts only for commands sent to this very boot of the device. */
  notStarted(productLogin: string, bootId: string, commandIds: readonly string[]): void {
    if (commandIds.length === 0) return;
    const { store, log } = this.#deps;
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

  /** The server stops: after its next start it asks the devices again. */
  stop(): void {
    this.#isStopped = true;
    for (const cancel of [...this.#waiting.values()].flatMap((cancels) => [...cancels])) cancel();
    this.#waiting.clear();
  }

  /** Resolves as soon as the database answers. Rejects if too many readings of the product wait, or the server stops. */
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
      const cancel = this.#deps.clock.after(DATABASE_RETRY_MS, () => {
        waiting.delete(cancel);
        if (waiting.size === 0) this.#waiting.delete(productLogin);
        resolve();
      });
      waiting.add(cancel);
    });
  }

  #record(productLogin: string, commandId: string, outcomeOf: (asked: AskedCommand) => LateOutcome): void {
    const { store, outcomes, wallClock, log } = this.#deps;
    const resolvedAtMs = wallClock.epochMs();
    if (outcomes.isSettled(commandId)) return;
    this.#read(productLogin, () => store.findOpen(productLogin, commandId)).then(
      (asked) => {
        if (!asked || outcomes.isSettled(commandId)) return;
        const late: OutcomeRecord = { commandId, productLogin, resolvedAtMs, ...outcomeOf(asked) };
        outcomes.record(late);
        log.info({ productLogin, commandId, outcome: late.outcome }, 'late outcome');
      },
      (err) => log.error({ productLogin, commandId, err }, 'late outcome not recorded'),
    );
  }
}

function lateOutcomeOf({ outcome }: DeviceConfirmation): ResolvedOutcome {
  return outcome === 'executed' || outcome === 'already-set' ? 'confirmed-late' : outcome;
}
