import { describe, expect, test } from '@jest/globals';
import { drawPlan } from './draw-plan';
import { traced } from './failure';
import { runPlan } from './run';
import { shrink } from './shrink';

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
