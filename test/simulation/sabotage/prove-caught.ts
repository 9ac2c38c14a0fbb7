import { expect, test } from '@jest/globals';
import type { Violation } from '../checker/violation';
import { drawPlan } from '../draw-plan';
import { runPlan } from '../run';
import type { DeliberateFault } from './deliberate-fault';

/** Seeds that one deliberate fault may take to be caught; most take one. */
const MAX_SEEDS = 400;
/** MAX_SEEDS is the limit; this only ends a run that hangs. A busy machine takes minutes for one fault. */
const PATIENCE_MS = 900_000;

/** A test for each fault. They stand in several files, for Jest plays files side by side. */
export function proveCaught(faults: readonly DeliberateFault[]): void {
  const withoutFault = new Map<number, Promise<Violation[]>>();
  const played = (seed: number): Promise<Violation[]> => {
    const known = withoutFault.get(seed) ?? runPlan(drawPlan(seed));
    withoutFault.set(seed, known);
    return known;
  };
  test.each(faults)(
    '$name is caught',
    async (fault) => {
      const seed = await firstCaught(fault);
      console.info(`caught after ${seed} seeds: ${fault.name}`);
      expect(seed).toBeLessThanOrEqual(MAX_SEEDS);
      // It is the fault that was caught, not the seed.
      expect(await played(seed)).toEqual([]);
    },
    PATIENCE_MS,
  );
}

/** The first seed that says of the fault what it is; beyond MAX_SEEDS: none does. */
async function firstCaught({ breaks, says, make, plays }: DeliberateFault): Promise<number> {
  for (let seed = 1; seed <= MAX_SEEDS; seed += 1) {
    const plan = drawPlan(seed);
    if (plays?.(plan) === false) continue;
    const violations = await runPlan(plan, { sabotage: make() });
    if (violations.some(({ invariant, sentence }) => breaks.includes(invariant) && sentence.includes(says)))
      return seed;
  }
  return Number.POSITIVE_INFINITY;
}
