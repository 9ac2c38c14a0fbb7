import { SeededChance } from '../support/seeded-chance';
import { drawPlainPlan, type Plan } from './plan';
import { drawScenes } from './policies/scenes';
import { withPolicies } from './policies/settings';

/** What a seed plays: outputs with policies or without, and what brings these into play beside all the rest. */
export function drawPlan(seed: number): Plan {
  const plan = drawPlainPlan(seed);
  const chance = new SeededChance(seed).fork('policies');
  const products = plan.products.map(({ outputs }) => ({ outputs: withPolicies(chance, outputs) }));
  const scenes = drawScenes(chance, products, plan.untilMs);
  const steps = [...plan.steps, ...scenes].toSorted((one, other) => one.atMs - other.atMs);
  return { ...plan, products, steps };
}
