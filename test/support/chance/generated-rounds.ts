import { toldSeed } from './told-seed';

/** Of every landing: what fails there, fails by its change and not by the luck of its run. */
const LANDING_SEED = 1;

/**
 * How often a generated test plays: `rounds`, or `inFull` with RELAYGATE_FULL; always the same ones. RELAYGATE_SEED=N plays
 * those of another seed, RELAYGATE_SEED=random such as nobody has seen. On a failure fast-check prints seed and path of the
 * smallest case.
 */
export function generatedRounds(rounds: number, inFull: number): { numRuns: number; seed?: number } {
  const told = toldSeed() ?? LANDING_SEED;
  const numRuns = process.env.RELAYGATE_FULL ? inFull : rounds;
  return told === 'random' ? { numRuns } : { numRuns, seed: told };
}
