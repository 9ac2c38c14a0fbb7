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
  #left: number;
  #refilledMs: number;

  constructor(clock: Pick<Clock, 'nowMs'>, limits: BudgetLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#left = limits.burst;
    this.#refilledMs = clock.nowMs();
  }

  get isFull(): boolean {
    this.#refill();
    return this.#left >= this.#limits.burst;
  }

  get hasOne(): boolean {
    this.#refill();
    return this.#left >= 1;
  }

  /** Takes one and returns 0. If there is none, takes nothing and returns the ms until there is one. */
  take(): number {
    if (!this.hasOne) return this.#msFor(1 - this.#left);
    this.#left -= 1;
    return 0;
  }

  /** Takes the amount in any case, if needed on credit. Returns the ms until the credit is paid back, or 0. */
  spend(amount: number): number {
    this.#refill();
    this.#left -= amount;
    return this.#left < 0 ? this.#msFor(-this.#left) : 0;
  }

  giveBack(amount: number): void {
    this.#refill();
    this.#left = Math.min(this.#limits.burst, this.#left + amount);
  }

  #msFor(amount: number): number {
    // Whole ms: on a clock with a large value, a tiny fraction would be lost, and the wait would never end.
    return Math.ceil((amount / this.#limits.perSecond) * 1000);
  }

  #refill(): void {
    const nowMs = this.#clock.nowMs();
    const given = ((nowMs - this.#refilledMs) / 1000) * this.#limits.perSecond;
    this.#left = Math.min(this.#limits.burst, this.#left + given);
    this.#refilledMs = nowMs;
  }
}
