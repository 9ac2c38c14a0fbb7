import type { SeededChance } from '../../support/chance/seeded-chance';
import { type Fault, machineOf, type PlannedStep, type Scope } from './plan';

/** Programs that are stopped in order and started again, with commands just before and in the middle of it. */
export function drawStops(chance: SeededChance, { products, untilMs }: Scope): PlannedStep[] {
  const steps: PlannedStep[] = [];
  for (let left = chance.pick(0, 0, 1, 1, 2); left > 0; left -= 1) {
    const product = chance.between(0, products.length - 1);
    const machine = machineOf(product);
    const process = chance.pick('server', 'server', `guard ${machine}`, `agent ${machine}`);
    const restartMs = chance.pick(chance.between(20, 300), chance.between(200, 3_000));
    const fault: Fault = { kind: 'stop', process, restartMs };
    const atMs = chance.between(1_500, untilMs);
    steps.push({ atMs, do: 'fault', fault });
    for (let calls = chance.between(1, 3); calls > 0; calls -= 1) {
      const call = {
        kind: 'toggle',
        product: chance.between(0, products.length - 1),
        numOutput: chance.between(0, 3),
      } as const;
      steps.push({ atMs: atMs + chance.between(-150, 60), do: 'call', client: chance.between(0, 1), call });
    }
    // A command that the stop must wait for.
    if (chance.fraction() < 0.3) {
      const forMs = chance.between(500, 8_000);
      const away: Fault = { kind: 'partition', machine, direction: chance.pick('up', 'both'), forMs };
      steps.push({ atMs: atMs - chance.between(50, 400), do: 'fault', fault: away });
    }
  }
  return steps;
}
