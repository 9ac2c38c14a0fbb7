import { describe, expect, test } from '@jest/globals';
import { drawPlan } from './draw-plan';
import { traced } from './failure';
import type { Plan } from './plan';
import { runPlan } from './run';
import { DELIBERATE_FAULTS } from './sabotage/catalogue';
import { shrink } from './shrink';

/** Seeds that one deliberate fault may take to be caught; most take one. */
const MOST_SEEDS = 250;
const PATIENCE_MS = 120_000;

describe('the simulation', () => {
  test.each([1, 5, 17, 81])('plays seed %i twice in the same way, to the last line', async (seed) => {
    const [one, other] = [await traced(drawPlan(seed)), await traced(drawPlan(seed))];
    expect(one.lines.length).toBeGreaterThan(100);
    expect(other).toEqual(one);
  });

  test('plays other seeds in other ways', async () => {
    const [one, other] = [await traced(drawPlan(1)), await traced(drawPlan(2))];
    expect(other.lines).not.toEqual(one.lines);
  });

  test('finds nothing where nothing is broken', async () => {
    expect(await runPlan({ ...drawPlan(3), steps: [] })).toEqual([]);
  });

  test('makes a failing plan shorter and leaves what it takes', async () => {
    const plan = drawPlan(4);
    const [needed] = plan.steps.slice(-1);
    const shorter = await shrink(plan, async ({ steps }) => steps.some((step) => step === needed));
    expect(shorter).toEqual({ ...plan, steps: [needed] });
  });
});

describe('a system that', () => {
  test.each(DELIBERATE_FAULTS)(
    '$name is caught',
    async ({ name, breaks, make }) => {
      const seed = await firstCaught(breaks, (plan) => runPlan(plan, { sabotage: make() }));
      console.info(`caught after ${seed} seeds: ${name}`);
      expect(seed).toBeLessThanOrEqual(MOST_SEEDS);
    },
    PATIENCE_MS,
  );
});

/** The first seed that names one of these invariants; beyond MOST_SEEDS: none does. */
async function firstCaught(
  invariants: readonly string[],
  play: (plan: Plan) => Promise<{ invariant: string }[]>,
): Promise<number> {
  for (let seed = 1; seed <= MOST_SEEDS; seed += 1) {
    const violations = await play(drawPlan(seed));
    if (violations.some(({ invariant }) => invariants.includes(invariant))) return seed;
  }
  return Number.POSITIVE_INFINITY;
}
