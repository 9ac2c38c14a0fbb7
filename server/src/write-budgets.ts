import { type BudgetLimits, type Clock, WRITE_LIMITS } from '@relaygate/shared';
import { Budgets } from './budgets';

/** What a client or a device can have written by itself, by kind. The README's table "Budgets" says who has which. */
export type WriteKind = keyof typeof WRITE_LIMITS;
export type WriteLimits = Readonly<Record<WriteKind, BudgetLimits>>;
export type WriteBudgets = Readonly<Record<WriteKind, Budgets>>;

/** `limits`: others than those of everyday, for tests. */
export function writeBudgets(clock: Clock, limits: Partial<WriteLimits> = {}): WriteBudgets {
  const { logins, associations, links, reports, history } = { ...WRITE_LIMITS, ...limits };
  return {
    logins: new Budgets(clock, logins),
    associations: new Budgets(clock, associations),
    links: new Budgets(clock, links),
    reports: new Budgets(clock, reports),
    history: new Budgets(clock, history),
  };
}
