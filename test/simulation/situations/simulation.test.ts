import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { SeededChance } from '../../support/chance/seeded-chance';
import { failedSeeds, leftOutOf } from '../failed-seeds';
import { traced } from '../failure';
import { drawPlan } from '../plan/draw-plan';
import { drawKeys } from '../plan/keys';
import type { PlannedStep, Scope } from '../plan/plan';
import { drawStorms } from '../plan/storms';
import { runPlan } from '../run';
import { seedsFrom } from '../seeds';
import { shrink } from '../shrink';

/** Of the seeds that have failed, in the order of their list: whatever failed later stands behind it. */
const LAST_BEFORE_STORMS = 731002265;
const LAST_BEFORE_KEYS = 47001677;

/** What a plan would have of it, were it not drawn without. */
function stormOf(seed: number): PlannedStep[] {
  return drawStorms(new SeededChance(seed).fork('storms'), drawPlan(seed));
}

function scopeOf(seed: number): Scope {
  const broad = drawPlan(seed);
  return { broad, products: broad.products, untilMs: broad.untilMs };
}

/** Whether all of it is played: a proof that nothing disturbs may have some of it go. */
function isStormy(seed: number): boolean {
  const storm = stormOf(seed);
  const { steps } = drawPlan(seed);
  return storm.length > 0 && storm.every((step) => steps.some((planned) => isDeepStrictEqual(planned, step)));
}

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

  test('plays one seed in eight with a storm', () => {
    const stormy = seedsFrom(1, 400).filter(isStormy);
    expect(stormy.length).toBeGreaterThan(30);
    expect(stormy.length).toBeLessThan(60);
  });

  test('plays no storm with a seed that had failed before there were any', () => {
    const seeds = failedSeeds();
    const older = seeds.slice(0, seeds.indexOf(LAST_BEFORE_STORMS) + 1);
    const stormy = older.filter((seed) => stormOf(seed).length > 0);
    expect(stormy.length).toBeGreaterThan(0);
    expect(stormy.filter((seed) => !leftOutOf(seed).includes('storms'))).toEqual([]);
    expect(stormy.filter(isStormy)).toEqual([]);
  });

  test('plays no keys with a seed that had failed before there were any', () => {
    const seeds = failedSeeds();
    const older = seeds.slice(0, seeds.indexOf(LAST_BEFORE_KEYS) + 1);
    const keyed = older.filter((seed) => drawKeys(new SeededChance(seed).fork('keys'), scopeOf(seed)).length > 0);
    expect(keyed.length).toBeGreaterThan(0);
    expect(keyed.filter((seed) => !leftOutOf(seed).includes('keys'))).toEqual([]);
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
