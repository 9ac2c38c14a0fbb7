import { describe, expect, test } from '@jest/globals';
import { quantile } from '../../bench/distribution';
import { tableOf } from '../../bench/figures';

describe('the table of the benchmarks', () => {
  const verdict = (bounds: { atMost?: number; atLeast?: number }): string | undefined =>
    tableOf('title', [{ name: 'x', value: 2, unit: 'ms', ...bounds }])
      .trimEnd()
      .split('\n')
      .at(-1)
      ?.split('|')
      .at(4)
      ?.trim();

  test('says of each figure whether its target is met', () => {
    expect(verdict({ atMost: 2 })).toBe('met');
    expect(verdict({ atMost: 1.9 })).toBe('NOT MET');
    expect(verdict({ atLeast: 2 })).toBe('met');
    expect(verdict({ atLeast: 2.1 })).toBe('NOT MET');
  });

  test('says nothing where there is no target', () => {
    expect(verdict({})).toBe('');
  });

  test('does not call a target met when nothing was measured', () => {
    expect(tableOf('title', [{ name: 'x', value: Number.NaN, unit: 'ms', atMost: 1 }])).toContain('NOT MET');
  });
});

describe('a quantile', () => {
  test('is a value that was measured, by the nearest rank', () => {
    const values = [5, 1, 4, 2, 3];
    expect([0, 0.5, 0.99, 1].map((share) => quantile(values, share))).toEqual([1, 3, 5, 5]);
  });

  test('of no values is no number', () => {
    expect(quantile([], 0.5)).toBeNaN();
  });
});
