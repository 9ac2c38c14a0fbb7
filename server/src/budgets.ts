import { Budget, type BudgetLimits, type Clock, MAX_BUDGETS, RelaygateError } from '@relaygate/shared';

/** A budget of one kind for each client or product. Only those that were used lately are remembered (I15). */
export class Budgets {
  readonly #clock: Clock;
  readonly #limits: BudgetLimits;
  /** The one unused for longest comes first. */
  readonly #used = new Map<string, Budget>();

  constructor(clock: Clock, limits: BudgetLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  get size(): number {
    return this.#used.size;
  }

  /** To be used at once: the next call may forget it. */
  of(who: string): Budget {
    const budget = this.#used.get(who) ?? new Budget(this.#clock, this.#limits);
    this.#used.delete(who);
    this.#forget();
    this.#used.set(who, budget);
    return budget;
  }

  /**
   * Runs a write that `who` pays one for, unless it certainly was not done. Beyond the budget nothing is run: fails with
   * `too-many-requests`.
   */
  async pay<T>(who: string, write: () => Promise<T>): Promise<T> {
    const waitMs = this.of(who).take();
    if (waitMs > 0) {
      const text = 'This client has had too much written; wait as Retry-After says.';
      throw new RelaygateError('too-many-requests', text, { retryAfterSeconds: Math.ceil(waitMs / 1000) });
    }
    try {
      return await write();
    } catch (error) {
      if (error instanceof RelaygateError && error.code === 'storage-unavailable') this.of(who).giveBack(1);
      throw error;
    }
  }

  /** A full one is like a new one. */
  #forget(): void {
    for (const [who, budget] of this.#used) {
      if (!budget.isFull && this.#used.size < MAX_BUDGETS) return;
      this.#used.delete(who);
    }
  }
}
