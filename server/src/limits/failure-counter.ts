import { type Clock, FAILED_ATTEMPTS_PER_MINUTE, MAX_FAILURE_KEYS } from '@relaygate/shared';
import type { AttemptLimiter } from './attempt-limiter';

const WINDOW_MS = 60_000;

interface Failures {
  count: number;
  /** A minute after the first failure. */
  untilMs: number;
}

/** A limiter in the memory of one process. With too many keys, the one that began first is forgotten. */
export class FailureCounter implements AttemptLimiter {
  readonly #clock: Clock;
  /** In the order of their first failure. */
  readonly #failures = new Map<string, Failures>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  fail(keys: readonly string[]): number | undefined {
    const waitsMs = keys.flatMap((key) => {
      const { count, untilMs } = this.#count(key);
      return count > FAILED_ATTEMPTS_PER_MINUTE ? [untilMs - this.#clock.nowMs()] : [];
    });
    return waitsMs.length === 0 ? undefined : Math.ceil(Math.max(...waitsMs) / 1000);
  }

  #count(key: string): Failures {
    this.#forgetEnded();
    const failures = this.#failures.get(key) ?? this.#begin(key);
    failures.count += 1;
    return failures;
  }

  #begin(key: string): Failures {
    const [oldest] = this.#failures.keys();
    if (oldest !== undefined && this.#failures.size >= MAX_FAILURE_KEYS) this.#failures.delete(oldest);
    const failures = { count: 0, untilMs: this.#clock.nowMs() + WINDOW_MS };
    this.#failures.set(key, failures);
    return failures;
  }

  #forgetEnded(): void {
    for (const [key, { untilMs }] of this.#failures) {
      if (untilMs > this.#clock.nowMs()) return;
      this.#failures.delete(key);
    }
  }
}
