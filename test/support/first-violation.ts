import fc from 'fast-check';

/** Always the same games, and enough for every mutant of ours: one is caught in each run or in none. */
const SEEDS = Array.from({ length: 100 }, (_, n) => n + 1);
const GAMES_PER_SEED = 200;

/**
 * What the first of many generated games says that fails with `violation`; else everything that games failed with. For
 * mutants: a model that lets one pass proves nothing.
 */
export async function firstViolation<Game>(
  games: fc.Arbitrary<Game>,
  play: (game: Game) => void | Promise<void>,
  violation: string,
): Promise<string> {
  const others = new Set<string>();
  for (const seed of SEEDS) {
    for (const game of fc.sample(games, { numRuns: GAMES_PER_SEED, seed })) {
      try {
        await play(game);
      } catch (error) {
        if (String(error).includes(violation)) return String(error);
        others.add(String(error));
      }
    }
  }
  return `only ${[...others].join('\n')}`;
}
