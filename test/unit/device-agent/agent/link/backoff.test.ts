import { describe, expect, test } from '@jest/globals';
import { backoffMs, refusedWaitMs, replacedWaitMs } from '@relaygate/device-agent/agent/link/backoff';
import { BACKOFF_CAP_MS, REPLACED_WAIT_CAP_MS, REPLACED_WAIT_MS } from '@relaygate/shared';

describe('the wait before the next try', () => {
  test.each([
    [0, 1_000],
    [1, 2_000],
    [3, 8_000],
    [6, BACKOFF_CAP_MS],
    [5_000, BACKOFF_CAP_MS],
  ])('after %i tries lies anywhere between 0 and %i ms', (attempt, mostMs) => {
    expect(backoffMs(attempt, 0)).toBe(0);
    expect(backoffMs(attempt, 0.5)).toBe(mostMs / 2);
    expect(backoffMs(attempt, 0.999)).toBeLessThan(mostMs);
  });

  test('after a refusal is never short', () => {
    expect(refusedWaitMs(0)).toBe(BACKOFF_CAP_MS / 2);
    expect(refusedWaitMs(0.999)).toBeLessThan(BACKOFF_CAP_MS);
  });

  test('after a takeover doubles up to its cap', () => {
    expect([1, 2, 3].map(replacedWaitMs)).toEqual([REPLACED_WAIT_MS, 2 * REPLACED_WAIT_MS, 4 * REPLACED_WAIT_MS]);
    expect(replacedWaitMs(400)).toBe(REPLACED_WAIT_CAP_MS);
  });
});
