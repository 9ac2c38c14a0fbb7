import type { Cancel, Clock } from '@relaygate/shared';

const MINUTE_MS = 60_000;

/** A minute in which a log counts lines: it begins with the first one, and ends with a summary. */
export class LogMinute {
  readonly #clock: Clock;
  readonly #summarise: () => void;
  #cancel: Cancel | undefined;
  #isStopped = false;

  constructor(clock: Clock, summarise: () => void) {
    this.#clock = clock;
    this.#summarise = summarise;
  }

  /** At each line that is counted; the minute may have begun already. */
  begin(): void {
    if (!this.#isStopped) this.#cancel ??= this.#clock.after(MINUTE_MS, () => this.#end());
  }

  /** Ends the minute now. Lines may come later, but no summary, so that no timer keeps the process. */
  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
    this.#end();
  }

  #end(): void {
    this.#cancel = undefined;
    this.#summarise();
  }
}
