import type { Clock } from './clock';

export interface BudgetLimits {
  /** The amount that may be taken at once. */
  burst: number;
  /** The amount that is added each second, up to `burst`. */
  perSecond: number;
}

/** A token bucket (I15). */
export class Budget {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #limits: BudgetLimits;
  /** What there was at `#atMs`. */
  #amount: number;
  #atMs: number;
  #uncounted = 0;

  constructor(clock: Pick<Clock, 'nowMs'>, limits: BudgetLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#amount = limits.burst;
    this.#atMs = clock.nowMs();
  }

  get isFull(): boolean {
    return this.#left >= this.#limits.burst;
  }

  get hasOne(): boolean {
    return this.#left >= 1;
  }

  /** What is left in whole units, and the whole seconds until it is full; if nothing is left: until there is one. */
  get rest(): { left: number; waitSeconds: number } {
    const left = this.#left;
    const missing = (left < 1 ? 1 : this.#limits.burst) - left;
    return { left: Math.max(0, Math.floor(left)), waitSeconds: Math.ceil(this.#msFor(missing) / 1000) };
  }

  get #left(): number {
    const { burst, perSecond } = this.#limits;
    return Math.min(burst, this.#amount + ((this.#clock.nowMs() - this.#atMs) / 1000) * perSecond);
  }

  set #left(amount: number) {
    this.#amount = amount;
    this.#atMs = this.#clock.nowMs();
  }

  /** The ms until there is one, or 0. */
  get waitMs(): number {
    return Math.max(0, this.#msFor(1 - this.#left));
  }

  /** Takes one and returns 0. If there is none, takes nothing and returns the ms until there is one. */
  take(): number {
    const { waitMs } = this;
    if (waitMs > 0) return waitMs;
    this.#left -= 1;
    this.#uncounted += 1;
    return 0;
  }

  /** Takes the amount in any case, if needed on credit. Returns the ms until the credit is paid back, or 0. */
  spend(amount: number): number {
    const left = this.#left - amount;
    this.#left = left;
    this.#uncounted += amount;
    return left < 0 ? this.#msFor(-left) : 0;
  }

  giveBack(amount: number): void {
    this.#left = Math.min(this.#limits.burst, this.#left + amount);
    this.#uncounted -= amount;
  }

  /** What was taken, less what was given back, since the call before. */
  count(): number {
    const counted = this.#uncounted;
    this.#uncounted = 0;
    return counted;
  }

  /**
   * Takes what was taken elsewhere, or gives back a negative amount. It takes on credit only what is paid back within `maxWaitMs`; the
   * rest is let off. `count` leaves it out.
   */
  takenElsewhere(amount: number, maxWaitMs: number): void {
    const { burst, perSecond } = this.#limits;
    const left = this.#left;
    const least = Math.min(left, (-maxWaitMs / 1000) * perSecond);
    this.#left = Math.min(burst, Math.max(least, left - amount));
  }

  #msFor(amount: number): number {
    // Whole ms: on a clock with a large value, a tiny fraction would be lost, and the wait would never end.
    return Math.ceil((amount / this.#limits.perSecond) * 1000);
  }
}
