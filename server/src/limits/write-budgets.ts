import { type BudgetLimits, type Clock, WRITE_LIMITS } from '@relaygate/shared';
import { Budgets } from './budgets';

/** Kinds of writes that a client or device can cause by itself. LIMITS.md shows who has which budget. */
export type WriteKind = keyof typeof WRITE_LIMITS;
export type WriteLimits = Readonly<Record<WriteKind, BudgetLimits>>;
export type WriteBudgets = Readonly<Record<WriteKind, Budgets>>;

/** `limits`: instead of WRITE_LIMITS, for tests. */
export function writeBudgets(clock: Clock, limits: Partial<WriteLimits> = {}): WriteBudgets {
  const { logins, associations, links, reports, history } = { ...WRITE_LIMITS, ...limits };
  return {
    logins: new Budgets(clock, logins, 'logins'),
    associations: new Budgets(clock, associations, 'associations'),
    links: new Budgets(clock, links),
    reports: new Budgets(clock, reports),
    history: new Budgets(clock, history),
  };
}
