import { describe, expect, test } from '@jest/globals';
import { Budget } from '@relaygate/shared';
import { SMALL_BUDGET, taken } from '../../support/server/small-budget';
import { VirtualClock } from '../../support/time/virtual-clock';

describe('a budget', () => {
  test('gives its burst at once, then its rate, and never more than the burst', async () => {
    const clock = new VirtualClock();
    const budget = new Budget(clock, SMALL_BUDGET);
    expect(taken(budget)).toBe(10);
    await clock.advance(3_000);
    expect(taken(budget)).toBe(6);
    await clock.advance(3_600_000);
    expect(taken(budget)).toBe(10);
  });

  test('says how long it is until there is one, and there is one then', async () => {
    const clock = new VirtualClock();
    const budget = new Budget(clock, SMALL_BUDGET);
    expect(taken(budget)).toBe(10);
    expect(budget.take()).toBe(500);
    await clock.advance(400);
    expect(budget.take()).toBe(100);
    await clock.advance(100);
    expect(budget.take()).toBe(0);
  });

  test('what is spent beyond it is paid back first', async () => {
    const clock = new VirtualClock();
    const budget = new Budget(clock, SMALL_BUDGET);
    expect(budget.spend(10)).toBe(0);
    expect(budget.spend(6)).toBe(3_000);
    await clock.advance(3_000);
    expect(taken(budget)).toBe(0);
    budget.giveBack(1);
    expect(taken(budget)).toBe(1);
    budget.giveBack(1_000);
    expect([budget.isFull, taken(budget)]).toEqual([true, 10]);
  });
});
