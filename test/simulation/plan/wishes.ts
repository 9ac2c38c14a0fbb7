import type { SeededChance } from '../../support/chance/seeded-chance';
import type { ChangedSettings } from '../people/local-request';
import { type Fault, machineOf, type PlannedStep, type Scope } from './plan';

/** Changes of settings by a technician, with commands before and after, and crashes in the middle of some. */
export function drawWishes(chance: SeededChance, { products, untilMs }: Scope): PlannedStep[] {
  const steps: PlannedStep[] = [];
  for (let left = chance.pick(0, 0, 1, 2, 3); left > 0; left -= 1) {
    const product = chance.between(0, products.length - 1);
    const numOutput = chance.between(0, 3);
    const atMs = chance.between(1_500, untilMs);
    const request = { type: 'output', numOutput, change: drawChange(chance), force: chance.fraction() < 0.3 } as const;
    steps.push({ atMs, do: 'technician', product, request });
    const toggle = (at: number): PlannedStep => {
      return { atMs: at, do: 'call', client: 0, call: { kind: 'toggle', product, numOutput } };
    };
    if (chance.fraction() < 0.6) steps.push(toggle(atMs - chance.between(0, 400)));
    if (chance.fraction() < 0.8) steps.push(toggle(atMs + chance.between(0, 3_000)));
    if (chance.fraction() < 0.3) {
      const faultAtMs = atMs + chance.between(0, chance.pick(15, 3_000));
      steps.push({ atMs: faultAtMs, do: 'fault', fault: drawCrash(chance, machineOf(product)) });
    }
  }
  return steps;
}

/** Another mode for an output that has been on for a while, which is refused: without these no other seed asked for it. */
export function drawModeChanges(chance: SeededChance, { broad: { products }, untilMs }: Scope): PlannedStep[] {
  if (chance.fraction() < 0.8) return [];
  const product = chance.between(0, products.length - 1);
  const numOutput = products[product]?.outputs.findIndex(({ mode }) => mode === 'on-off') ?? -1;
  if (numOutput < 0) return [];
  const atMs = chance.between(3_000, untilMs);
  const change = { mode: 'impulse' } as const;
  return [
    { atMs: atMs - 1_200, do: 'technician', product, request: { type: 'set', numOutput, state: 1 } },
    { atMs, do: 'technician', product, request: { type: 'output', numOutput, change, force: false } },
  ];
}

function drawChange(chance: SeededChance): ChangedSettings {
  switch (chance.between(0, 5)) {
    case 0:
      return { mode: chance.pick('on-off', 'impulse') };
    case 1:
    case 2:
      return { powerOn: chance.pick('off', 'on', 'restore') };
    default:
      return { pulseMs: chance.between(50, 6_000) };
  }
}

/** Of a device's processes, or of its power. */
export function drawCrash(chance: SeededChance, machine: string): Fault {
  const process = chance.pick(`guard ${machine}`, `agent ${machine}`);
  const restartMs = chance.between(20, 1_000);
  return chance.pick<Fault>(
    { kind: 'kill', process, restartMs },
    { kind: 'kill-at-point', process, points: chance.between(1, 8), restartMs },
    { kind: 'stop', process, restartMs },
    { kind: 'power-cut', machine, offMs: chance.between(100, 3_000) },
  );
}
