import { describe, expect, test } from '@jest/globals';
import { backoffMs, refusedWaitMs, replacedWaitMs } from '@relaygate/device-agent/agent/link/backoff';
import { BACKOFF_CAP_MS, REPLACED_WAIT_CAP_MS, REPLACED_WAIT_MS } from '@relaygate/shared';
import { SeededChance } from '../../../../support/chance/seeded-chance';

describe('the wait before the next try', () => {
  test.each([
    [0, 0, 1_000],
    [1, 1_000, 2_000],
    [3, 4_000, 8_000],
    [6, BACKOFF_CAP_MS / 2, BACKOFF_CAP_MS],
    [5_000, BACKOFF_CAP_MS / 2, BACKOFF_CAP_MS],
  ])('after %i failed tries lies anywhere between %i and %i ms', (attempt, leastMs, mostMs) => {
    expect(backoffMs(attempt, 0)).toBe(leastMs);
    expect(backoffMs(attempt, 0.5)).toBe((leastMs + mostMs) / 2);
    expect(backoffMs(attempt, 0.999)).toBeLessThan(mostMs);
  });

  test.each([0.5, 2, 5, 20])(
    'brings a device back within three outages and 2 s, however chance falls: after %i s',
    (awayS) => {
      const chance = new SeededChance();
      for (let device = 0; device < 10_000; device += 1) {
        let triedAtS = 0;
        for (let attempt = 0; triedAtS < awayS; attempt += 1) triedAtS += backoffMs(attempt, chance.fraction()) / 1_000;
        expect(triedAtS).toBeLessThan(3 * awayS + 2);
      }
    },
  );

  test('after a refusal is never short', () => {
    expect(refusedWaitMs(0)).toBe(BACKOFF_CAP_MS / 2);
    expect(refusedWaitMs(0.999)).toBeLessThan(BACKOFF_CAP_MS);
  });

  test('after a takeover doubles up to its cap', () => {
    expect([1, 2, 3].map(replacedWaitMs)).toEqual([REPLACED_WAIT_MS, 2 * REPLACED_WAIT_MS, 4 * REPLACED_WAIT_MS]);
    expect(replacedWaitMs(400)).toBe(REPLACED_WAIT_CAP_MS);
  });
});
