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

  test('counts what was taken here, and is used up by what was taken elsewhere for so long at most', async () => {
    const clock = new VirtualClock();
    const budget = new Budget(clock, SMALL_BUDGET);
    budget.spend(6);
    budget.takenElsewhere(3, 5_000);
    budget.giveBack(2);
    expect([taken(budget), budget.take(), budget.count(), budget.count()]).toEqual([3, 500, 7, 0]);
    budget.takenElsewhere(1_000, 5_000);
    expect(budget.take()).toBe(5_500);
    budget.takenElsewhere(-12, 5_000);
    expect(taken(budget)).toBe(2);
    budget.takenElsewhere(-1_000, 5_000);
    expect(taken(budget)).toBe(10);
    budget.spend(20);
    budget.takenElsewhere(1, 5_000);
    expect(budget.take()).toBe(10_500);
  });
});
