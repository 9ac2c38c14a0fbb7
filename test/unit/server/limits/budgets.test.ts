import { describe, expect, test } from '@jest/globals';
import { Budgets } from '@relaygate/server/limits/budgets';
import { MAX_BUDGETS, RelaygateError } from '@relaygate/shared';
import { SMALL_BUDGET, taken } from '../../../support/server/small-budget';
import { VirtualClock } from '../../../support/time/virtual-clock';

describe('budgets', () => {
  test('are apart from each other', () => {
    const budgets = new Budgets(new VirtualClock(), SMALL_BUDGET);
    expect(taken(budgets.of('a'))).toBe(10);
    expect(taken(budgets.of('a'))).toBe(0);
    expect(taken(budgets.of('b'))).toBe(10);
  });

  test('pay for writes, but not for one that was certainly not done', async () => {
    const budgets = new Budgets(new VirtualClock(), SMALL_BUDGET);
    const failing = (code: 'storage-unavailable' | 'storage-unanswered') => async () => {
      throw new RelaygateError(code);
    };
    for (let n = 0; n < 20; n += 1)
      await expect(budgets.pay('a', failing('storage-unavailable'))).rejects.toMatchObject({
        code: 'storage-unavailable',
      });
    await expect(budgets.pay('a', failing('storage-unanswered'))).rejects.toMatchObject({ code: 'storage-unanswered' });
    for (let n = 0; n < 9; n += 1) expect(await budgets.pay('a', async () => n)).toBe(n);
    let isRun = false;
    const beyond = budgets.pay('a', async () => {
      isRun = true;
    });
    await expect(beyond).rejects.toMatchObject({ code: 'too-many-requests', retryAfterSeconds: 1 });
    expect(isRun).toBe(false);
  });

  test('that are full again are forgotten', async () => {
    const clock = new VirtualClock();
    const budgets = new Budgets(clock, SMALL_BUDGET);
    for (const who of ['a', 'b', 'c']) budgets.of(who).take();
    expect(budgets.size).toBe(3);
    await clock.advance(1_000);
    taken(budgets.of('d'));
    expect([budgets.size, taken(budgets.of('d'))]).toEqual([1, 0]);
  });

  test('tell what was taken once, also of one that is full again and forgotten', async () => {
    const clock = new VirtualClock();
    const budgets = new Budgets(clock, SMALL_BUDGET);
    budgets.of('before').take();
    expect(budgets.takeUntold(9)).toEqual([]);
    budgets.of('a').take();
    await clock.advance(1_000);
    budgets.of('b').spend(2);
    budgets.of('a').take();
    const refused = budgets.of('c');
    refused.take();
    refused.giveBack(1);
    const all = [budgets.takeUntold(1), budgets.takeUntold(9), budgets.takeUntold(9)];
    expect(all).toEqual([[{ key: 'a', amount: 2 }], [{ key: 'b', amount: 2 }], []]);
  });

  test('remember so many to tell of (I15)', () => {
    const budgets = new Budgets(new VirtualClock(), SMALL_BUDGET);
    budgets.takeUntold(0);
    for (let n = 0; n <= MAX_BUDGETS; n += 1) budgets.of(`${n}`).take();
    expect(budgets.takeUntold(Number.POSITIVE_INFINITY)).toHaveLength(MAX_BUDGETS);
  });

  test('are bounded in number: the one unused for longest is forgotten (I15)', () => {
    const budgets = new Budgets(new VirtualClock(), SMALL_BUDGET);
    for (let n = 0; n < MAX_BUDGETS; n += 1) budgets.of(`${n}`).spend(10);
    expect(taken(budgets.of('0'))).toBe(0);
    budgets.of('one more').spend(10);
    expect(budgets.size).toBe(MAX_BUDGETS);
    expect([taken(budgets.of('0')), taken(budgets.of('2')), taken(budgets.of('1'))]).toEqual([0, 0, 10]);
  });
});
