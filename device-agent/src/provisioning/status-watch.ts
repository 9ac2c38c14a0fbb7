/** Keeps relaygate-status.txt up to date. */

import type { Cancel, Clock } from '@relaygate/shared';
import { oneLine } from '@relaygate/shared/plain-text';
import type { Log } from '../runtime/log';
import { problemOf } from '../runtime/problem';

/** How often the device is looked at. */
export const LOOK_MS = 5_000;
/** Words that come and go within this are not written: a link that flaps must not wear the card. */
export const SETTLED_MS = 10_000;
/** Between two writings. */
export const BETWEEN_WRITES_MS = 60_000;

export interface StatusWatchDeps {
  clock: Clock;
  log: Log;
  /** The words of now; null: nothing to say. */
  look(): Promise<string | null>;
  /** Resolves with whether it had to be written. */
  write(words: string): Promise<boolean>;
}

export class StatusWatch {
  readonly #deps: StatusWatchDeps;
  #cancel: Cancel | null = null;
  #isStopped = false;
  #words: string | null = null;
  #sinceMs = 0;
  /** What the file says, as far as this process knows. */
  #said: string | null = null;
  #writtenMs = Number.NEGATIVE_INFINITY;

  constructor(deps: StatusWatchDeps) {
    this.#deps = deps;
  }

  /** Returns what stops it. */
  start(): () => void {
    void this.#turn();
    return () => {
      this.#isStopped = true;
      this.#cancel?.();
    };
  }

  async #turn(): Promise<void> {
    try {
      await this.#look();
    } catch (error) {
      this.#deps.log.warn(`the status cannot be written: ${problemOf(error)}`);
    }
    if (!this.#isStopped) this.#cancel = this.#deps.clock.after(LOOK_MS, () => void this.#turn());
  }

  async #look(): Promise<void> {
    const { clock, log, look, write } = this.#deps;
    const words = await look();
    const nowMs = clock.nowMs();
    if (words !== this.#words) {
      this.#words = words;
      this.#sinceMs = nowMs;
    }
    if (words === null || words === this.#said) return;
    if (nowMs - this.#sinceMs < SETTLED_MS || nowMs - this.#writtenMs < BETWEEN_WRITES_MS) return;
    const isNew = await write(words);
    this.#said = words;
    if (isNew) this.#writtenMs = nowMs;
    // Also what the file says already, because after a restart somebody may look for the page's address on the screen.
    log.info(oneLine(words.replaceAll('\n\n', '. ')));
  }
}
