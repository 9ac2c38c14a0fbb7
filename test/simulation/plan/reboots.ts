import type { SeededChance } from '../../support/chance/seeded-chance';
import { type Fault, machineOf, type PlannedStep, type Scope, SERVER_MACHINE } from './plan';

/** Late frames of the time before may take so long. */
const AROUND_MS = 6_000;

/**
 * The server's machine loses its power and boots, with another monotonic clock and perhaps another wall clock; commands
 * in the middle of it, some of them held up on their way.
 */
export function drawReboots(chance: SeededChance, { products, untilMs }: Scope): PlannedStep[] {
  if (chance.fraction() < 0.8) return [];
  const atMs = chance.between(1_500, untilMs);
  const offMs = chance.between(50, 6_000);
  const fault = (at: number, what: Fault): PlannedStep => ({ atMs: at, do: 'fault', fault: what });
  const steps = [fault(atMs, { kind: 'power-cut', machine: SERVER_MACHINE, offMs })];
  if (chance.fraction() < 0.3) {
    const byMs = chance.pick(3_600_000, -3_600_000, chance.between(-20_000, 20_000));
    steps.push(fault(atMs + offMs, { kind: 'wall-jump', byMs }));
  }
  const product = chance.between(0, products.length - 1);
  if (chance.fraction() < 0.4) {
    const extraMs = chance.between(500, 5_000);
    const forMs = chance.between(1_000, 15_000);
    const machine = machineOf(product);
    const delayMs = chance.between(-300, AROUND_MS);
    steps.push(fault(atMs + delayMs, { kind: 'delay', machine, direction: 'down', extraMs, forMs }));
  }
  for (let left = chance.between(2, 5); left > 0; left -= 1) {
    const call = { kind: 'toggle', product, numOutput: chance.between(0, 3) } as const;
    steps.push({ atMs: atMs + chance.between(-150, offMs + AROUND_MS), do: 'call', client: 0, call });
  }
  return steps;
}
