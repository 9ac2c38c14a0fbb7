import { type Clock, FAILED_ATTEMPTS_PER_MINUTE, MAX_FAILURE_KEYS } from '@relaygate/shared';
import type { AttemptLimiter } from './attempt-limiter';

const WINDOW_MS = 60_000;

interface Failures {
  count: number;
  /** The minute began with the first failure. */
  untilMs: number;
}

/** The limiter of one process, in its memory. When it knows too many keys, the one that began longest ago gives way. */
export class FailureCounter implements AttemptLimiter {
  readonly #clock: Clock;
  /** In the order in which they began. */
  readonly #failures = new Map<string, Failures>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  secondsBlocked(keys: readonly string[]): number | undefined {
    return this.#longestWait(keys, FAILED_ATTEMPTS_PER_MINUTE);
  }

  fail(keys: readonly string[]): number | undefined {
    this.#forgetOld();
    for (const key of keys) this.#count(key);
    return this.#longestWait(keys, FAILED_ATTEMPTS_PER_MINUTE + 1);
  }

  #count(key: string): void {
    const failures = this.#failures.get(key);
    if (failures) failures.count += 1;
    else this.#failures.set(key, { count: 1, untilMs: this.#clock.nowMs() + WINDOW_MS });
  }

  /** Of the keys with at least `count` failures in their minute. */
  #longestWait(keys: readonly string[], count: number): number | undefined {
    const waitsMs = keys.flatMap((key) => {
      const failures = this.#failures.get(key);
      const leftMs = failures && failures.count >= count ? failures.untilMs - this.#clock.nowMs() : 0;
      return leftMs > 0 ? [leftMs] : [];
    });
    return waitsMs.length === 0 ? undefined : Math.ceil(Math.max(...waitsMs) / 1000);
  }

  #forgetOld(): void {
    for (const [key, { untilMs }] of this.#failures) {
      if (untilMs > this.#clock.nowMs() && this.#failures.size < MAX_FAILURE_KEYS) return;
      this.#failures.delete(key);
    }
  }
}
