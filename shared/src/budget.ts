import type { Clock } from './clock';

export interface BudgetLimits {
  /** What may be taken at once. */
  burst: number;
  /** What each second gives back. */
  perSecond: number;
}

/** A token bucket: so much at once, and a steady rate behind it (I15). */
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

  /** Takes one, or nothing: then it says how long it is until there is one, in ms. 0: taken. */
  take(): number {
    if (!this.hasOne) return this.#msFor(1 - this.#left);
    this.#left -= 1;
    return 0;
  }

  /** Takes it in any case, on credit where there is too little. How long it is until that is paid back, in ms; 0: it was there. */
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
    // Whole: a rest of a billionth would never be over for whoever waits by a clock that is too far on to count it.
    return Math.ceil((amount / this.#limits.perSecond) * 1000);
  }

  #refill(): void {
    const nowMs = this.#clock.nowMs();
    const given = ((nowMs - this.#refilledMs) / 1000) * this.#limits.perSecond;
    this.#left = Math.min(this.#limits.burst, this.#left + given);
    this.#refilledMs = nowMs;
  }
}
