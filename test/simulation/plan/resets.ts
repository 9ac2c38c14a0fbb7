import type { SeededChance } from '../../support/chance/seeded-chance';
import { type Fault, machineOf, type PlannedProduct, type PlannedStep, type Scope } from './plan';

/** Of a hundred plans. */
const RESET_PERCENT = 10;
/** From the reset on: until the device is set up anew, and used. */
const SCENE_MS = 6_000;
const LOCK_MS = 60_000;

export function withResets(chance: SeededChance, products: readonly PlannedProduct[]): PlannedProduct[] {
  const reset = chance.fraction() * 100 < RESET_PERCENT ? chance.between(0, products.length - 1) : null;
  return products.map((product, n) => ({ ...product, isReset: n === reset }));
}

/**
 * A factory reset: while a pulse runs, with its link or without, with a disk that fails, with programs or power that end in the
 * middle; and commands for a device that is wiped.
 */
export function drawResets(chance: SeededChance, { products, untilMs }: Scope): PlannedStep[] {
  return products.flatMap(({ isReset }, product) => (isReset ? drawReset(chance, product, untilMs) : []));
}

function drawReset(chance: SeededChance, product: number, untilMs: number): PlannedStep[] {
  const machine = machineOf(product);
  const atMs = chance.between(2_500, Math.max(2_500, untilMs - SCENE_MS));
  const steps: PlannedStep[] = [];
  const ask = (ms: number, request: Extract<PlannedStep, { do: 'technician' }>['request']): void =>
    void steps.push({ atMs: atMs + ms, do: 'technician', product, request });
  const happen = (ms: number, fault: Fault): void => void steps.push({ atMs: atMs + ms, do: 'fault', fault });
  const toggle = (ms: number): void => {
    const call = { kind: 'toggle', product, numOutput: chance.between(0, 3) } as const;
    steps.push({ atMs: atMs + ms, do: 'call', client: 0, call });
  };
  // What a reset has to end, and to forget.
  for (const numOutput of [0, 1, 2, 3]) {
    if (chance.fraction() < 0.6) ask(-chance.between(100, 900), { type: 'set', numOutput, state: 1 });
  }
  if (chance.fraction() < 0.4) ask(-chance.between(100, 900), { type: 'new-pin' });
  if (chance.fraction() < 0.4) {
    ask(-chance.between(50, 900), { type: 'lock', numOutput: chance.between(1, 3), forMs: LOCK_MS });
  }
  if (chance.fraction() < 0.2) ask(-200, { type: 'factory-reset', productLogin: 'gate-of-somebody-else' });
  ask(0, { type: 'factory-reset', productLogin: machine });
  if (chance.fraction() < 0.3) {
    happen(-chance.between(0, 1_500), {
      kind: 'partition',
      machine,
      direction: 'both',
      forMs: chance.between(500, 5_000),
    });
  }
  if (chance.fraction() < 0.3) {
    // Its guard ends while the disk writes down that it is begun.
    happen(-20, { kind: 'disk', machine, mode: 'slow', forMs: 100 });
    happen(chance.between(10, 60), { kind: 'kill', process: `guard ${machine}`, restartMs: chance.between(20, 300) });
    ask(-chance.between(1_000, 2_000), { type: 'output', numOutput: 1, change: { powerOn: 'restore' }, force: false });
  } else if (chance.fraction() < 0.4) {
    const mode = chance.pick('fails', 'fails', 'slow');
    happen(chance.between(-50, 400), { kind: 'disk', machine, mode, forMs: chance.between(100, 2_000) });
  }
  if (chance.fraction() < 0.6) happen(chance.between(0, 10), drawEnd(chance, machine));
  for (let calls = chance.between(2, 6); calls > 0; calls -= 1) toggle(chance.between(-300, SCENE_MS));
  if (chance.fraction() < 0.4)
    ask(chance.between(0, SCENE_MS), { type: 'set', numOutput: chance.between(0, 3), state: 1 });
  return steps;
}

/** A reset writes and looks for hundreds of files: its end may come at any of them. */
function drawEnd(chance: SeededChance, machine: string): Fault {
  const restartMs = chance.between(20, 1_000);
  const points = chance.between(1, chance.pick(20, 400, 4_000));
  return chance.pick<Fault>(
    { kind: 'kill-at-point', process: `agent ${machine}`, points, restartMs },
    { kind: 'kill-at-point', process: `agent ${machine}`, points, restartMs },
    { kind: 'kill-at-point', process: `guard ${machine}`, points: chance.between(1, 20), restartMs },
    { kind: 'power-cut-at-point', process: `agent ${machine}`, points, offMs: chance.between(100, 2_000) },
    { kind: 'stall', process: `agent ${machine}`, forMs: chance.between(50, 5_000), timersFirst: false },
  );
}
