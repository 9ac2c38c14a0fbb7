import {
  Budget,
  type BudgetLimits,
  type Clock,
  MAX_BUDGETS,
  MAX_SHARED_DEBT_MS,
  RelaygateError,
} from '@relaygate/shared';
import { ExceededLimit, type Limit } from './exceeded-limit';
import type { SharedLimit, Taken } from './shared-limits';

/** A limit, and what somebody has left of it. `waitSeconds`: until all is there again; with nothing left, until one unit is. */
export interface RateLimit extends Limit {
  left: number;
  waitSeconds: number;
}

/** A budget of one kind for each client or product. At most MAX_BUDGETS are remembered (I15). */
export class Budgets implements SharedLimit {
  readonly #clock: Clock;
  readonly #limits: BudgetLimits;
  /** As answers name it. */
  readonly #name: string;
  /** The budget that was unused for longest comes first. */
  readonly #used = new Map<string, Budget>();
  /** Those of which something may have been taken that no other node was told of. Undefined: there are no others. */
  #untold: Map<string, Budget> | undefined;

  constructor(clock: Clock, limits: BudgetLimits, name = 'requests') {
    this.#clock = clock;
    this.#limits = limits;
    this.#name = name;
  }

  /** So many at once, refilled evenly over a minute. */
  static perMinute(clock: Clock, count: number, name?: string): Budgets {
    return new Budgets(clock, { burst: count, perSecond: count / 60 }, name);
  }

  get size(): number {
    return this.#used.size;
  }

  /** The next call may forget it, if it is full or there are too many. */
  of(who: string): Budget {
    const budget = this.#used.get(who) ?? this.#untold?.get(who) ?? new Budget(this.#clock, this.#limits);
    this.#used.delete(who);
    for (const [other, { isFull }] of this.#used) {
      // A full budget can be forgotten, because a new one is full as well.
      if (!isFull && this.#used.size < MAX_BUDGETS) break;
      this.#used.delete(other);
    }
    this.#used.set(who, budget);
    if (this.#untold && this.#untold.size < MAX_BUDGETS) this.#untold.set(who, budget);
    return budget;
  }

  /** For the answers to `who`. */
  rateLimitOf(who: string): RateLimit {
    return { ...this.limit, ...(this.#used.get(who)?.rest ?? { left: this.#limits.burst, waitSeconds: 0 }) };
  }

  /** As answers tell it. */
  get limit(): Limit {
    const { burst, perSecond } = this.#limits;
    return { name: this.#name, quota: burst, windowSeconds: Math.ceil(burst / perSecond) };
  }

  takeUntold(maxKeys: number): Taken[] {
    const taken: Taken[] = [];
    this.#untold ??= new Map();
    for (const [key, budget] of this.#untold) {
      if (taken.length >= maxKeys) break;
      this.#untold.delete(key);
      const amount = budget.count();
      if (amount !== 0) taken.push({ key, amount });
    }
    return taken;
  }

  takenElsewhere({ key, amount }: Taken): void {
    this.of(key).takenElsewhere(amount, MAX_SHARED_DEBT_MS);
  }

  /**
   * Runs a write, which costs `who` one unit; a write that certainly was not done costs nothing. Beyond the budget it runs
   * nothing and fails with `too-many-requests`.
   */
  async pay<T>(who: string, write: () => Promise<T>): Promise<T> {
    const waitMs = this.of(who).take();
    if (waitMs > 0) throw tooMany('caused too many writes', waitMs, this.limit);
    try {
      return await write();
    } catch (error) {
      if (error instanceof RelaygateError && error.code === 'storage-unavailable') this.of(who).giveBack(1);
      throw error;
    }
  }
}

/** What a client gets that is over its budget, for so long. */
export function tooMany(whatItDid: string, waitMs: number, limit?: Limit): RelaygateError {
  const message = `This client ${whatItDid}; wait for the seconds in Retry-After.`;
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  if (limit) return new ExceededLimit(limit, retryAfterSeconds, { message });
  return new RelaygateError('too-many-requests', message, { retryAfterSeconds });
}
