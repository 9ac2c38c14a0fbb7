import type { SeededChance } from '../support/seeded-chance';
import { machineOf, type PlannedProduct, type PlannedStep } from './plan';
import { drawCrash } from './plan-wishes';

/** Of a hundred devices. */
const REQUIRED_PERCENT = 15;

export function withProofs(chance: SeededChance, products: readonly PlannedProduct[]): PlannedProduct[] {
  return products.map((product) => ({ ...product, requireProof: chance.fraction() * 100 < REQUIRED_PERCENT }));
}

/** Proofs of the wiring, soon where one is required, with commands before and after, and a crash beside some. */
export function drawProofs(chance: SeededChance, products: readonly PlannedProduct[], untilMs: number): PlannedStep[] {
  return products.flatMap(({ requireProof }, product) => {
    if (chance.fraction() < (requireProof ? 0.2 : 0.9)) return [];
    const steps: PlannedStep[] = [];
    const atMs = requireProof ? chance.between(1_500, 8_000) : chance.between(1_500, untilMs);
    steps.push({ atMs, do: 'prove', product, watching: 'seen' });
    for (let calls = chance.between(2, 5); calls > 0; calls -= 1) {
      const call = { kind: 'toggle', product, numOutput: chance.between(0, 3) } as const;
      steps.push({ atMs: atMs + chance.between(-1_500, 4_000), do: 'call', client: 0, call });
    }
    if (chance.fraction() < 0.5) {
      const faultAtMs = atMs + chance.between(0, chance.pick(15, 3_000));
      steps.push({ atMs: faultAtMs, do: 'fault', fault: drawCrash(chance, machineOf(product)) });
    }
    return steps;
  });
}
