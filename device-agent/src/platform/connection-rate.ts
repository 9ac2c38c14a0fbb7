/** How many new connections to the page's port may come. Knows no socket. */
import { Budget, type BudgetLimits, type Clock } from '@relaygate/shared';

/** Bounded because handshakes take the agent's time. A page opens six. */
const OF_ONE_HOST: BudgetLimits = { burst: 30, perSecond: 5 };
const OF_ALL_HOSTS: BudgetLimits = { burst: 80, perSecond: 40 };

/**
 * A host that comes too often is refused before it takes anything from the others. A host where somebody is logged in is
 * bounded by its own budget alone, so that strangers, however many, do not cut it off.
 */
export class ConnectionRate {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #all: Budget;
  /**
   * The budgets of hosts that have taken some; a full one is forgotten. The limit for all bounds how many these are. I15.
   */
  readonly #byHost = new Map<string, Budget>();

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock;
    this.#all = new Budget(clock, OF_ALL_HOSTS);
  }

  take(host: string, hasSession: boolean): boolean {
    for (const [name, budget] of this.#byHost) if (budget.isFull) this.#byHost.delete(name);
    const own = this.#byHost.get(host) ?? new Budget(this.#clock, OF_ONE_HOST);
    if (!own.hasOne || !(hasSession || this.#all.take() === 0)) return false;
    own.take();
    this.#byHost.set(host, own);
    return true;
  }

  get hosts(): number {
    return this.#byHost.size;
  }
}
