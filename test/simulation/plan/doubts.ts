import type { SeededChance } from '../../support/chance/seeded-chance';
import { type Fault, machineOf, type PlannedStep, type Scope } from './plan';

/**
 * What makes a part doubt whether it may move something (I14), and commands in the middle of it. Drawn apart from the
 * rest of the plan, which stays what it is.
 */
export function drawDoubts(chance: SeededChance, { products, untilMs }: Scope): PlannedStep[] {
  if (chance.fraction() < 0.6) return [];
  const product = chance.between(0, products.length - 1);
  const atMs = chance.between(1_500, untilMs);
  const fault = drawDoubt(chance, product);
  const steps: PlannedStep[] = [{ atMs, do: 'fault', fault }];
  for (let left = chance.between(1, 3); left > 0; left -= 1) {
    const numOutput = chance.between(0, 3);
    const call = { kind: 'toggle', product, numOutput } as const;
    steps.push({ atMs: atMs + chance.between(0, fault.forMs), do: 'call', client: 0, call });
  }
  return steps;
}

function drawDoubt(chance: SeededChance, product: number): Extract<Fault, { forMs: number }> {
  const forMs = chance.between(1_000, 8_000);
  switch (chance.between(0, 2)) {
    case 0:
      return { kind: 'impostor', product, forMs, forges: chance.pick(true, false) };
    case 1:
      return { kind: 'spoilt-settings', machine: machineOf(product), forMs };
    default:
      return { kind: 'storage', mode: chance.pick('full', 'down', 'locked'), forMs };
  }
}
