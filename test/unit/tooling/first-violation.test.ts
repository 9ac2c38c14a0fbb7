import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { firstViolation } from '../../support/chance/first-violation';

test('a search for a violation that no game shows ends after so many games, and says what they failed with', async () => {
  let games = 0;
  const play = (): void => {
    games += 1;
    throw new Error('another fault');
  };
  expect(await firstViolation(fc.constant(null), play, 'the fault', 400)).toBe(
    'not in 400 games; they failed only with: Error: another fault',
  );
  expect(games).toBe(400);
});
