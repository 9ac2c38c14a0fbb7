import type { Budget } from '@relaygate/shared';

export const SMALL_BUDGET = { burst: 10, perSecond: 2 };

/** How many can be taken now. */
export function taken(budget: Budget): number {
  let count = 0;
  while (budget.take() === 0) count += 1;
  return count;
}
