import fc from 'fast-check';

/** Always the same games: one mutant is caught in each run or in none. */
const GAMES_PER_SEED = 200;

/**
 * What the first of `maxGames` generated games says that fails with `violation`; else how many there were, and everything
 * that they failed with. For mutants: a model that lets one pass proves nothing. The number of games bounds the search, not
 * a time, so the speed of the machine decides nothing.
 */
export async function firstViolation<Game>(
  games: fc.Arbitrary<Game>,
  play: (game: Game) => void | Promise<void>,
  violation: string,
  maxGames = 20_000,
): Promise<string> {
  const others = new Set<string>();
  for (let seed = 1; seed <= maxGames / GAMES_PER_SEED; seed += 1) {
    for (const game of fc.sample(games, { numRuns: GAMES_PER_SEED, seed })) {
      try {
        await play(game);
      } catch (error) {
        if (String(error).includes(violation)) return String(error);
        others.add(String(error));
      }
    }
  }
  return `not in ${maxGames} games; they failed only with: ${[...others].join('\n')}`;
}
