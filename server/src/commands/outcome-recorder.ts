import { type Cancel, type Clock, MAX_OUTCOMES_TO_RETRY } from '@relaygate/shared';
import { ActivityCounter } from '../activity-counter';
import { outcomeRetryMs } from '../database-retry';
import type { Log } from '../log/log';
import type { CommandStore, OutcomeRecord } from './command-store';

/**
 * Writes outcomes after the answers (I9): the client gets its 200 when the device confirmed. If the database refuses an
 * outcome, it is kept here, retried until it is written, and shown to readers meanwhile. Bounded (I15).
 */
export class OutcomeRecorder {
  readonly #store: Pick<CommandStore, 'recordOutcome'>;
  readonly #clock: Clock;
  readonly #log: Log;
  /** Per command, in the order of arrival: `unknown`, then perhaps the late outcome. */
  readonly #unsaved = new Map<string, OutcomeRecord[]>();
  readonly #failing = new Map<string, Cancel>();
  readonly #commands = new ActivityCounter();
  #isStopped = false;

  constructor(store: Pick<CommandStore, 'recordOutcome'>, clock: Clock, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  /** False while an outcome could not be written: /readyz turns red. */
  get healthy(): boolean {
    return this.#failing.size === 0;
  }

  record(outcome: OutcomeRecord): void {
    const waiting = this.#unsaved.get(outcome.commandId);
    if (waiting) {
      waiting.push(outcome);
      return;
    }
    this.#unsaved.set(outcome.commandId, [outcome]);
    this.#commands.enter();
    this.#dropOldestBeyondBound();
    void this.#save(outcome.commandId);
  }

  /** The newest outcome of a command, if it is not in the database yet. */
  latest(commandId: string): OutcomeRecord | undefined {
    return this.#unsaved.get(commandId)?.at(-1);
  }

  /** The same of all commands, as it is now. */
  allLatest(): ReadonlyMap<string, OutcomeRecord> {
    return new Map([...this.#unsaved].flatMap(([id, outcomes]) => outcomes.slice(-1).map((latest) => [id, latest])));
  }

  /** The product's outcomes that are not in the database yet, oldest first. */
  unsavedOf(productLogin: string): OutcomeRecord[] {
    return [...this.#unsaved.values()].flat().filter((outcome) => outcome.productLogin === productLogin);
  }

  /** True if a final outcome of the command waits to be written. */
  isSettled(commandId: string): boolean {
    const latest = this.latest(commandId)?.outcome;
    return latest !== undefined && latest !== 'unknown';
  }

  /** Waits until all outcomes are written, at most `timeoutMs`. Outcomes that are left then, or come later, are logged and dropped. */
  async stop(timeoutMs: number): Promise<void> {
    await this.#commands.whenIdle(this.#clock, timeoutMs);
    this.#isStopped = true;
    for (const commandId of [...this.#unsaved.keys()]) this.#drop(commandId);
  }

  async #save(commandId: string, failuresBefore = 0): Promise<void> {
    const waiting = this.#unsaved.get(commandId) ?? [];
    try {
      for (let next = waiting[0]; next; next = waiting[0]) {
        await this.#store.recordOutcome(next);
        waiting.shift();
      }
      if (this.#unsaved.get(commandId) === waiting) this.#forget(commandId);
    } catch (cause) {
      // Dropped meanwhile; what came for the command since is saved by itself.
      if (this.#unsaved.get(commandId) !== waiting) return;
      // An endless retry would keep the process from ending.
      if (this.#isStopped) return this.#drop(commandId);
      if (!this.#failing.has(commandId))
        this.#log.error({ commandId, err: cause }, 'outcome not written, kept for retry');
      const failures = failuresBefore + 1;
      const again = (): void => void this.#save(commandId, failures);
      this.#failing.set(commandId, this.#clock.after(outcomeRetryMs(failures), again));
    }
  }

  #dropOldestBeyondBound(): void {
    if (this.#unsaved.size <= MAX_OUTCOMES_TO_RETRY) return;
    const [oldest] = this.#unsaved.keys();
    if (oldest === undefined) return;
    this.#log.error(
      { lost: this.#unsaved.get(oldest) },
      'too many outcomes wait for the database: the oldest is dropped',
    );
    this.#forget(oldest);
  }

  #drop(commandId: string): void {
    this.#log.error({ commandId, lost: this.#unsaved.get(commandId) }, 'outcome not written when the server stopped');
    this.#forget(commandId);
  }

  #forget(commandId: string): void {
    this.#failing.get(commandId)?.();
    this.#failing.delete(commandId);
    if (this.#unsaved.delete(commandId)) this.#commands.leave();
  }
}
