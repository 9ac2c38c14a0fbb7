/**
 * How often a generated test plays: `rounds`, or `inFull` with RELAYGATE_FULL. On a failure fast-check prints seed and
 * path of the smallest case; RELAYGATE_SEED=N plays that seed again.
 */
export function generatedRounds(rounds: number, inFull: number): { numRuns: number; seed?: number } {
  const told = process.env.RELAYGATE_SEED;
  const seed = told === undefined ? undefined : Number(told);
  const numRuns = process.env.RELAYGATE_FULL ? inFull : rounds;
  return seed === undefined ? { numRuns } : { numRuns, seed };
}
