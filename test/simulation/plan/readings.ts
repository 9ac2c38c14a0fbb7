import type { SeededChance } from '../../support/chance/seeded-chance';
import type { PlannedStep, Scope } from './plan';

/** How long after a jump of the clock, or before it, its times are read. */
const AROUND_MS = 3_000;

/** Readings of the products' states at any moment, some of them around a jump of the server's wall clock (I11). */
export function drawReadings(chance: SeededChance, { products, untilMs }: Scope): PlannedStep[] {
  const read = (atMs: number): PlannedStep => {
    const product = chance.between(0, products.length - 1);
    return { atMs, do: 'call', client: 0, call: { kind: 'state', product, numOutput: 0 } };
  };
  const steps = Array.from({ length: chance.between(2, 6) }, () => read(chance.between(500, untilMs)));
  if (chance.fraction() < 0.75) return steps;
  const atMs = chance.between(2_000, untilMs);
  const byMs = chance.pick(3_600_000, -3_600_000, chance.between(-20_000, 20_000));
  steps.push({ atMs, do: 'fault', fault: { kind: 'wall-jump', byMs } });
  for (let left = 3; left > 0; left -= 1) steps.push(read(atMs + chance.between(-AROUND_MS, AROUND_MS)));
  return steps;
}
