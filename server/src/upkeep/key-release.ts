import { type Cancel, type Clock, IDEMPOTENCY_KEY_KEPT_MS, MAX_ROWS_PER_SWEEP_WRITE, pause } from '@relaygate/shared';
import type { Log } from '../log/log';

export interface KeyReleaseStore {
  /** How many turns of KEY_TURN_MS have passed while some server ran. */
  keyTurns(): Promise<number>;
  /** One more has passed since they were `turns`, so keys may be due. Nothing changes if another server has counted meanwhile. */
  passKeyTurn(turns: number): Promise<void>;
  /** Takes the keys that are due from the oldest commands, of `limit` rows at most. Resolves with whether there may be more. */
  releaseKeys(limit: number): Promise<boolean>;
}

export interface KeyReleaseDeps {
  store: KeyReleaseStore;
  clock: Clock;
  log: Log;
}

/** What a server counts. One that never runs so long releases no key. */
export const KEY_TURN_MS = 600_000;
/** At each of these, the keys are due that were there at the one before. */
export const KEY_TURNS_KEPT = IDEMPOTENCY_KEY_KEPT_MS / KEY_TURN_MS;
/** Between two writes, so that commands pass. */
const PAUSE_MS = 100;

/**
 * Lets keys stand for nothing any more when IDEMPOTENCY_KEY_KEPT_MS have passed, and twice that at most. Only the monotonic clock of
 * running servers counts: a wall clock that is set forward between two tries must not make the second a new command.
 */
export class KeyRelease {
  readonly #deps: KeyReleaseDeps;
  /** What this run has read a turn ago; null: nothing, or it is not known whether it has counted since. */
  #turns: number | null = null;
  #isStopped = false;
  #cancel: Cancel = () => {};

  constructor(deps: KeyReleaseDeps) {
    this.#deps = deps;
  }

  start(): void {
    void this.#turn();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async #turn(): Promise<void> {
    const { clock, log, store } = this.#deps;
    const turns = this.#turns;
    this.#turns = null;
    try {
      if (turns !== null) await store.passKeyTurn(turns);
      this.#turns = await store.keyTurns();
      while (!this.#isStopped && (await store.releaseKeys(MAX_ROWS_PER_SWEEP_WRITE))) await pause(clock, PAUSE_MS);
    } catch (err) {
      log.warn({ err }, 'old keys of commands not released; tried again in 10 minutes');
    }
    if (!this.#isStopped) this.#cancel = clock.after(KEY_TURN_MS, () => void this.#turn());
  }
}
