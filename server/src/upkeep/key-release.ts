import { type Cancel, type Clock, IDEMPOTENCY_KEY_KEPT_MS, MAX_ROWS_PER_SWEEP_WRITE } from '@relaygate/shared';
import type { Log } from '../log/log';

export interface KeyReleaseStore {
  /** The last id that a command's row has got; 0: there is none. Commands get greater ones later. */
  lastCommandRow(): Promise<number>;
  /** Takes their keys from the commands behind row `afterId`, up to row `untilId`, at most `limit` rows. Resolves with the last of them; null: no row is left. */
  releaseKeys(afterId: number, untilId: number, limit: number): Promise<number | null>;
}

export interface KeyReleaseDeps {
  store: KeyReleaseStore;
  clock: Clock;
  log: Log;
}

export const RELEASE_EVERY_MS = 3_600_000;
/** Between two writes, so that commands pass. */
const PAUSE_MS = 100;

/**
 * Lets keys stand for nothing any more, IDEMPOTENCY_KEY_KEPT_MS after this run of the server has seen their commands on record. It goes
 * by the monotonic clock alone: a wall clock that is set forward between two tries must not make the second a new command. So a server
 * that never runs for a day keeps keys as long as their commands.
 */
export class KeyRelease {
  readonly #deps: KeyReleaseDeps;
  /** Oldest first, one for each hour of the time that keys are kept. */
  readonly #seen: { atMs: number; lastId: number }[] = [];
  /** Up to this row, nothing has a key. */
  #releasedId = 0;
  #isStopped = false;
  #cancel: Cancel = () => {};

  constructor(deps: KeyReleaseDeps) {
    this.#deps = deps;
  }

  start(): void {
    void this.#run();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#deps;
    try {
      await this.#look();
    } catch (err) {
      log.warn({ err }, 'old keys of commands not released; tried again in an hour');
    }
    if (!this.#isStopped) this.#cancel = clock.after(RELEASE_EVERY_MS, () => void this.#run());
  }

  async #look(): Promise<void> {
    const { clock, store } = this.#deps;
    const lastId = await store.lastCommandRow();
    this.#seen.push({ atMs: clock.nowMs(), lastId });
    const isOld = ({ atMs }: { atMs: number }): boolean => clock.nowMs() - atMs >= IDEMPOTENCY_KEY_KEPT_MS;
    const old = this.#seen.filter(isOld);
    const untilId = old.at(-1)?.lastId ?? 0;
    while (!this.#isStopped && this.#releasedId < untilId) {
      this.#releasedId = (await store.releaseKeys(this.#releasedId, untilId, MAX_ROWS_PER_SWEEP_WRITE)) ?? untilId;
      await this.#pause();
    }
    this.#seen.splice(0, old.length);
  }

  /** After a stop the promise never settles, so the release ends here. */
  #pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#cancel = this.#deps.clock.after(PAUSE_MS, resolve);
    });
  }
}
