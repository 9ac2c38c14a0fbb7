import type { SeededChance } from '../../support/chance/seeded-chance';
import { type Fault, machineOf, type Plan, type PlannedStep, type Scope } from './plan';

/** Until a command of the application is in its guard's hands. */
const WAY_MS = 70;

/** Boards that go away and come back: in the middle of a command, of a pulse or of its end, of a start. */
export function drawBoards(chance: SeededChance, { broad, products, untilMs }: Scope): PlannedStep[] {
  const steps: PlannedStep[] = [];
  for (let left = chance.pick(0, 0, 0, 1, 1, 2); left > 0; left -= 1) {
    const product = chance.between(0, products.length - 1);
    const atMs = chance.between(2_000, untilMs);
    steps.push(...drawAbsence(chance, product, atMs, broad));
    // Back, and gone again with the next order.
    if (chance.fraction() < 0.25) {
      const again = drawAway(chance, machineOf(product), chance.between(20, 500));
      steps.push({ atMs: atMs + chance.between(50, 2_500), do: 'fault', fault: again });
    }
    for (let calls = chance.between(0, 2); calls > 0; calls -= 1) {
      const call = { kind: 'toggle', product, numOutput: chance.between(0, 3) } as const;
      steps.push({ atMs: atMs + chance.between(-300, 3_000), do: 'call', client: 0, call });
    }
  }
  return steps;
}

function drawAbsence(chance: SeededChance, product: number, atMs: number, broad: Plan): PlannedStep[] {
  const machine = machineOf(product);
  const numOutput = chance.between(0, 3);
  const forMs = chance.pick(chance.between(1, 40), chance.between(100, 2_000), chance.between(1_000, 8_000));
  const away = (at: number, ms: number): PlannedStep => ({
    atMs: at,
    do: 'fault',
    fault: drawAway(chance, machine, ms),
  });
  const toggle = { kind: 'toggle', product, numOutput } as const;
  switch (chance.between(0, 3)) {
    case 0: {
      // A guard that starts without it.
      const restartMs = chance.between(20, 1_000);
      const kill: Fault = { kind: 'kill', process: `guard ${machine}`, restartMs };
      return [
        { atMs, do: 'fault', fault: kill },
        away(atMs + chance.between(-200, restartMs + 60), chance.between(100, 3_000)),
      ];
    }
    case 1: {
      // At the end of a pulse, or within it.
      const { pulseMs = 500 } = broad.products[product]?.outputs[2] ?? {};
      const beginMs = Math.round(pulseMs * chance.pick(0.5, 1, chance.fraction())) - chance.between(0, 60);
      const call = { ...toggle, numOutput: 2 };
      return [{ atMs, do: 'call', client: 0, call }, away(atMs + Math.max(0, beginMs), forMs)];
    }
    default:
      return [{ atMs, do: 'call', client: 0, call: toggle }, away(atMs + chance.between(0, WAY_MS), forMs)];
  }
}

export function drawAway(chance: SeededChance, machine: string, forMs: number): Fault {
  const points = chance.pick(0, chance.between(1, 12));
  return {
    kind: 'board-away',
    machine,
    points,
    forMs,
    relays: chance.pick('stay', 'stay', 'fall'),
    tells: chance.pick(true, false),
  };
}
