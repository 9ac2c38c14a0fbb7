import type { Violation } from './checker/violation';
import { drawPlan } from './plan/draw-plan';
import type { Plan } from './plan/plan';
import { runPlan } from './run';
import type { Sabotage } from './sabotage/sabotage';
import { shrink } from './shrink';

/** Lines of a trace that are shown without being asked for. */
const SHOWN_LINES = 120;

const REPLAY = 'npm run --silent test:simulation --';

/** A seed that broke something, in words: what, by the shortest plan found, and what happened up to there. */
export async function describeFailure(
  seed: number,
  first: Violation,
  makeSabotage: () => Sabotage = () => ({}),
): Promise<string> {
  const whole = drawPlan(seed);
  const plan = await shrink(whole, async (shorter) => {
    const violations = await runPlan(shorter, { sabotage: makeSabotage() });
    return violations.some(({ invariant }) => invariant === first.invariant);
  });
  const { lines, violations } = await traced(plan, makeSabotage());
  const shown = violations.find(({ invariant }) => invariant === first.invariant) ?? first;
  const upTo = lines.filter((line) => Number.parseFloat(line) <= shown.atMs + 1);
  return [
    `seed ${seed} breaks ${shown.invariant}: ${shown.sentence}`,
    `${plan.steps.length} steps are enough:`,
    ...plan.steps.map((step) => `  ${JSON.stringify(step)}`),
    `The last of what happened until ${shown.atMs.toFixed(1)} ms:`,
    ...upTo.slice(-SHOWN_LINES),
    `All of it: ${REPLAY} --seed ${seed} --trace --steps ${plan.steps.map((step) => whole.steps.indexOf(step)).join() || '-'}`,
    `All of the seed: ${REPLAY} --seed ${seed} --trace`,
  ].join('\n');
}

/** Plays a plan and writes down what happens in it. */
export async function traced(
  plan: Plan,
  sabotage: Sabotage = {},
): Promise<{ lines: string[]; violations: Violation[] }> {
  const lines: string[] = [];
  const violations = await runPlan(plan, { sabotage, trace: (line) => void lines.push(line) });
  return { lines, violations };
}
