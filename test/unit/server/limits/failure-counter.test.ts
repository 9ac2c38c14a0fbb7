import { expect, test } from '@jest/globals';
import { FailureCounter } from '@relaygate/server/limits/failure-counter';
import { FAILED_ATTEMPTS_PER_MINUTE, MAX_FAILURE_KEYS } from '@relaygate/shared';
import { VirtualClock } from '../../../support/time/virtual-clock';

function exhausted(clock: VirtualClock, keys: string[]): FailureCounter {
  const counter = new FailureCounter(clock);
  for (let n = 0; n < FAILED_ATTEMPTS_PER_MINUTE; n += 1) expect(counter.fail(keys)).toBeUndefined();
  return counter;
}

test('a minute from the first failure on, whatever is beyond the limit waits for its end', async () => {
  const clock = new VirtualClock();
  const counter = exhausted(clock, ['address', 'key']);
  expect(counter.fail(['address'])).toBe(60);
  await clock.advance(59_999);
  expect(counter.fail(['other', 'key'])).toBe(1);
  await clock.advance(1);
  expect(counter.fail(['address', 'key'])).toBeUndefined();
});

test('tells each failure once, counts those of other nodes, and remembers so many keys to tell of (I15)', () => {
  const counter = exhausted(new VirtualClock(), ['before']);
  expect(counter.takeUntold(0)).toEqual([]);
  for (const key of ['a', 'b', 'a']) counter.fail([key]);
  const elsewhere = FAILED_ATTEMPTS_PER_MINUTE - 1;
  for (const [key, amount] of Object.entries({ a: -9, b: elsewhere })) counter.takenElsewhere({ key, amount });
  expect([counter.takeUntold(1), counter.takeUntold(9)]).toEqual([
    [{ key: 'a', amount: 2 }],
    [{ key: 'b', amount: 1 }],
  ]);
  expect([counter.fail(['a']), counter.fail(['b'])]).toEqual([undefined, 60]);
  for (let n = 0; n < MAX_FAILURE_KEYS; n += 1) counter.fail([`key ${n}`]);
  expect(counter.takeUntold(Number.POSITIVE_INFINITY)).toHaveLength(MAX_FAILURE_KEYS);
});

test('with one key more than it remembers, the one that began longest ago is forgotten', () => {
  const counter = exhausted(new VirtualClock(), ['first']);
  for (let n = 1; n < MAX_FAILURE_KEYS; n += 1) counter.fail([`key ${n}`]);
  expect(counter.fail(['first'])).toBe(60);
  for (let n = 1; n < FAILED_ATTEMPTS_PER_MINUTE; n += 1) counter.fail(['key 1']);
  expect(counter.fail(['one more'])).toBeUndefined();
  expect(counter.fail(['key 1'])).toBe(60);
  // Its count began anew, and so "key 1" went.
  expect(counter.fail(['first'])).toBeUndefined();
  expect(counter.fail(['key 1'])).toBeUndefined();
});
