import { describe, expect, test } from '@jest/globals';
import { durationMs, durationWords } from '@relaygate/device-agent/runtime/duration';

describe('a duration', () => {
  test.each([
    ['45s', 45_000],
    ['90m', 5_400_000],
    ['2h', 7_200_000],
    ['7d', 604_800_000],
    ['0h', null],
    ['2', null],
    ['-1h', null],
    ['1.5h', null],
    ['2h30m', null],
    ['2 h', null],
  ])('%s is %s ms', (text, ms) => {
    expect(durationMs(text)).toBe(ms);
  });

  test.each([
    [0, '0s'],
    [1, '1s'],
    [45_000, '45s'],
    [3_599_500, '1h'],
    [7_140_000, '1h 59m'],
    [90_061_000, '1d 1h'],
    [604_800_000, '7d'],
  ])('%s ms are said as %s', (ms, words) => {
    expect(durationWords(ms)).toBe(words);
  });
});
