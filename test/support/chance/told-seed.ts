/** What RELAYGATE_SEED says: a seed, `random` for one that is drawn and printed on a failure; null: nothing. */
export function toldSeed(told = process.env.RELAYGATE_SEED): number | 'random' | null {
  if (told === undefined || told === '') return null;
  if (told === 'random') return told;
  const seed = Number(told);
  if (!Number.isSafeInteger(seed)) throw new Error(`RELAYGATE_SEED is "${told}": a whole number, or random`);
  return seed;
}
