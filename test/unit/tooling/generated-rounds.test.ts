import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { generatedRounds } from '../../support/chance/generated-rounds';
import { SeededChance } from '../../support/chance/seeded-chance';

const NAMES = ['RELAYGATE_SEED', 'RELAYGATE_FULL'] as const;

describe('generated tests', () => {
  const before = NAMES.map((name) => [name, process.env[name]] as const);
  beforeEach(() => {
    for (const name of NAMES) delete process.env[name];
  });
  afterEach(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  test('play the same in every run, unless they are told otherwise', () => {
    const { numRuns, seed } = generatedRounds(20, 300);
    expect(numRuns).toBe(20);
    expect(seed).toEqual(expect.any(Number));
    expect(generatedRounds(20, 300).seed).toBe(seed);
  });

  test('play more of the same in full', () => {
    const { seed } = generatedRounds(20, 300);
    process.env.RELAYGATE_FULL = '1';
    expect(generatedRounds(20, 300)).toEqual({ numRuns: 300, seed });
  });

  test('play the seed that they are told', () => {
    process.env.RELAYGATE_SEED = '-2057';
    expect(generatedRounds(20, 300).seed).toBe(-2057);
    expect(new SeededChance().seed).toBe(-2057);
  });

  test('leave it to chance when they are to hunt', () => {
    process.env.RELAYGATE_SEED = 'random';
    expect(generatedRounds(20, 300)).toEqual({ numRuns: 20 });
    expect(new SeededChance().seed).not.toBe(new SeededChance().seed);
  });

  test.each(['12a', '0.5', 'Random'])('play nothing for %s', (told) => {
    process.env.RELAYGATE_SEED = told;
    expect(() => generatedRounds(20, 300)).toThrow('a whole number, or random');
  });
});
