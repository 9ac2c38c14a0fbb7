import type { Plan, PlannedStep } from './plan/plan';

/** Runs that looking for a shorter plan may take. */
const MAX_RUNS = 300;

/** A shorter plan that still breaks the same: leaves out halves, then quarters, in the end single steps. */
export async function shrink(plan: Plan, stillBreaks: (plan: Plan) => Promise<boolean>): Promise<Plan> {
  let steps: readonly PlannedStep[] = plan.steps;
  let runs = 0;
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < steps.length && runs < MAX_RUNS; ) {
      const fewer = [...steps.slice(0, from), ...steps.slice(from + size)];
      runs += 1;
      if (await stillBreaks({ ...plan, steps: fewer })) steps = fewer;
      else from += size;
    }
  }
  return { ...plan, steps };
}
