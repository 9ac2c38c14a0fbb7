import type { SeededChance } from '../../support/chance/seeded-chance';
import type { PlannedStep, Scope } from './plan';

/** So close do commands follow each other around a moment that decides about them. */
const APART_MS = 3;
const AROUND_MS = 12;

/** Commands just before and just after the moment that decides about them: a fault of 10 ms shows there, and nowhere else. */
export function drawNearMisses(chance: SeededChance, { products, untilMs }: Scope): PlannedStep[] {
  return products.flatMap(({ outputs }, product) => {
    const steps: PlannedStep[] = [];
    const set = (atMs: number, numOutput: number, state: 0 | 1): void =>
      void steps.push({ atMs, do: 'technician', product, request: { type: 'set', numOutput, state } });
    const aroundMs = Array.from({ length: (2 * AROUND_MS) / APART_MS }, (_none, n) => n * APART_MS - AROUND_MS);
    if (chance.fraction() < 0.3) {
      const atMs = chance.between(1_500, untilMs);
      outputs.forEach((_output, numOutput) => {
        const request = { type: 'set', numOutput, state: 1, withinMs: chance.between(1, 4) } as const;
        steps.push({ atMs: atMs + numOutput * APART_MS, do: 'technician', product, request });
      });
    }
    for (const [numOutput, { mode, minSwitchIntervalMs = 0 }] of outputs.entries()) {
      const forMs = 2 * minSwitchIntervalMs + 1_000;
      if (mode !== 'on-off' || minSwitchIntervalMs === 0 || forMs > untilMs - 1_500) continue;
      const atMs = chance.between(1_500, untilMs - forMs);
      const offMs = atMs + minSwitchIntervalMs + 500;
      set(atMs, numOutput, 1);
      set(offMs, numOutput, 0);
      for (const ms of aroundMs) set(offMs + minSwitchIntervalMs + ms, numOutput, 1);
    }
    return steps;
  });
}
