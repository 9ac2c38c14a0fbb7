import type { SeededChance } from '../../support/chance/seeded-chance';
import { machineOf, type PlannedProduct, type PlannedStep, type Scope } from './plan';
import { drawCrash } from './wishes';

/** Of a hundred devices. */
const REQUIRED_PERCENT = 15;

export function withProofs(chance: SeededChance, products: readonly PlannedProduct[]): PlannedProduct[] {
  return products.map((product) => ({ ...product, requireProof: chance.fraction() * 100 < REQUIRED_PERCENT }));
}

/** Proofs of the wiring, soon where one is required, with commands before and after, and a crash beside some. */
export function drawProofs(chance: SeededChance, { products, untilMs }: Scope): PlannedStep[] {
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

/** All outputs one after the other, three clicks each. */
export const CLICKING_MS = 9_500;
/** From the proof to the last command that needs it. */
const USED_MS = CLICKING_MS + 5_000;

/**
 * `steps` with some proofs more, and commands that need them after a crash. Nothing disturbs the clicks: among all
 * that a plan does, hardly one proof came to its end in time for that.
 */
export function withUsedProofs(
  chance: SeededChance,
  { products, untilMs }: Scope,
  steps: readonly PlannedStep[],
): PlannedStep[] {
  return products.reduce<PlannedStep[]>(
    (all, { requireProof }, product) => {
      if (!requireProof || untilMs < 1_500 + USED_MS || chance.fraction() < 0.3) return all;
      const atMs = chance.between(1_500, untilMs - USED_MS);
      const afterMs = atMs + CLICKING_MS;
      const calls = [2_000, 3_000, 4_000, 5_000].map((ms, numOutput): PlannedStep => {
        const call = { kind: 'toggle', product, numOutput } as const;
        return { atMs: afterMs + ms, do: 'call', client: 0, call };
      });
      return [
        ...all.filter((step) => step.atMs > afterMs || !disturbs(step, product)),
        { atMs, do: 'prove', product, watching: 'seen' },
        { atMs: afterMs + chance.between(300, 800), do: 'fault', fault: drawCrash(chance, machineOf(product)) },
        ...calls,
      ];
    },
    [...steps],
  );
}

function disturbs(step: PlannedStep, product: number): boolean {
  if (step.do === 'fault') {
    const machine = machineOf(product);
    const { fault } = step;
    return 'process' in fault ? fault.process.endsWith(` ${machine}`) : 'machine' in fault && fault.machine === machine;
  }
  return (step.do === 'prove' || step.do === 'technician') && step.product === product;
}
