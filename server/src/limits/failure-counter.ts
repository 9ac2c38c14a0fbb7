import { createHmac, type KeyObject } from 'node:crypto';
import { type Clock, FAILED_ATTEMPTS_PER_MINUTE, MAX_FAILURE_KEYS } from '@relaygate/shared';
import type { AttemptLimiter } from './attempt-limiter';
import type { SharedLimit, Taken } from './shared-limits';

const WINDOW_MS = 60_000;
/** 128 bits in base64url: no two keys have the same name. */
const NAME_CHARS = 22;

interface Failures {
  count: number;
  /** A minute after the first failure. */
  untilMs: number;
}

/** The name by which a node remembers a key and tells it to others, which shows neither an address nor an id. */
export function failureNames(secret: KeyObject): (key: string) => string {
  return (key) => {
    const mac = createHmac('sha256', secret).update(`relaygate failed attempts v1\n${key}`);
    return mac.digest('base64url').slice(0, NAME_CHARS);
  };
}

/** A limiter in the memory of one process. With too many keys, the one that began first is forgotten. */
export class FailureCounter implements AttemptLimiter, SharedLimit {
  readonly #clock: Clock;
  readonly #nameOf: (key: string) => string;
  /** In the order of their first failure. */
  readonly #failures = new Map<string, Failures>();
  /** Those that no other node was told of. Undefined: there are no others. */
  #untold: Map<string, number> | undefined;

  constructor(clock: Clock, nameOf = (key: string): string => key) {
    this.#clock = clock;
    this.#nameOf = nameOf;
  }

  fail(keys: readonly string[]): number | undefined {
    const waitsMs = keys.map(this.#nameOf).flatMap((key) => {
      const { count, untilMs } = this.#count(key, 1);
      this.#tellLater(key);
      return count > FAILED_ATTEMPTS_PER_MINUTE ? [untilMs - this.#clock.nowMs()] : [];
    });
    return waitsMs.length === 0 ? undefined : Math.ceil(Math.max(...waitsMs) / 1000);
  }

  takeUntold(maxKeys: number): Taken[] {
    const taken: Taken[] = [];
    this.#untold ??= new Map();
    for (const [key, amount] of this.#untold) {
      if (taken.length >= maxKeys) break;
      this.#untold.delete(key);
      taken.push({ key, amount });
    }
    return taken;
  }

  takenElsewhere({ key, amount }: Taken): void {
    if (amount > 0) this.#count(key, amount);
  }

  #tellLater(key: string): void {
    const untold = this.#untold?.get(key) ?? 0;
    if (untold > 0 || (this.#untold && this.#untold.size < MAX_FAILURE_KEYS)) this.#untold?.set(key, untold + 1);
  }

  #count(key: string, amount: number): Failures {
    this.#forgetEnded();
    const failures = this.#failures.get(key) ?? this.#begin(key);
    failures.count += amount;
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
