import type { SeededChance } from '../../support/chance/seeded-chance';
import type { LocalRequest } from '../people/local-request';
import { machineOf, type PlannedStep, type Scope } from './plan';
import { drawCrash } from './wishes';

/** What a technician does one after the other at a device that loses its link, its programs or its disk meanwhile. */
export function drawDeeds(chance: SeededChance, { products, untilMs }: Scope): PlannedStep[] {
  const steps: PlannedStep[] = [];
  for (let left = chance.pick(0, 0, 1, 1, 2); left > 0; left -= 1) {
    const product = chance.between(0, products.length - 1);
    const machine = machineOf(product);
    const atMs = chance.between(1_500, untilMs);
    for (let deeds = chance.between(1, 4); deeds > 0; deeds -= 1)
      steps.push({ atMs: atMs + chance.between(0, 3_000), do: 'technician', product, request: drawDeed(chance) });
    if (chance.fraction() < 0.4) {
      const forMs = chance.between(1_000, 8_000);
      const fault = { kind: 'partition', machine, direction: chance.pick('up', 'down', 'both'), forMs } as const;
      steps.push({ atMs: atMs - chance.between(0, 500), do: 'fault', fault });
    }
    if (chance.fraction() < 0.5)
      steps.push({ atMs: atMs + chance.between(0, 4_000), do: 'fault', fault: drawCrash(chance, machine) });
    if (chance.fraction() < 0.2) {
      const fault = {
        kind: 'disk',
        machine,
        mode: chance.pick('fails', 'slow'),
        forMs: chance.between(100, 3_000),
      } as const;
      steps.push({ atMs: atMs - chance.between(0, 500), do: 'fault', fault });
    }
  }
  return steps;
}

function drawDeed(chance: SeededChance): LocalRequest {
  const numOutput = chance.between(0, 3);
  switch (chance.between(0, 5)) {
    case 5:
      return { type: 'stop', numOutput: chance.between(2, 3), afterMs: chance.pick(0, 300, 2_000) };
    case 0:
      return { type: 'output', numOutput, change: { pulseMs: chance.between(50, 6_000) }, force: false };
    case 1:
      return { type: 'pulse', numOutput: chance.between(2, 3) };
    default:
      return { type: 'set', numOutput, state: chance.pick(0, 1) };
  }
}
