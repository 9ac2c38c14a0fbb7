import { type CompleteOutput, completeOutput } from '@relaygate/shared/device';
import type { SeededChance } from '../../support/chance/seeded-chance';
import { type BoardReads, machineOf, type PlannedProduct, type PlannedStep, type Scope } from './plan';

const SCENE_MS = 3_000;
/** Until a command has come through, where nothing holds it up. */
const DONE_MS = 400;

export function withReads(chance: SeededChance, products: readonly PlannedProduct[]): PlannedProduct[] {
  return products.map((product) => {
    const reads = chance.pick<BoardReads>('orders', 'orders', 'lines', 'lines', 'nothing');
    // Nothing moves in an interlock whose board cannot tell that the others are off.
    const mustTell = reads === 'nothing' && product.outputs.some(({ interlock }) => interlock !== undefined);
    return { ...product, reads: mustTell ? 'orders' : reads };
  });
}

/** Relays that do not follow, or have lost their supply, at boards that tell so. */
export function drawLines(chance: SeededChance, { products, untilMs }: Scope): PlannedStep[] {
  return products.flatMap(({ outputs, reads }, product): PlannedStep[] => {
    if (reads === 'nothing' || untilMs < 1_500 + SCENE_MS || chance.fraction() < 0.3) return [];
    const plain = outputs.findIndex((one) => isPlain(completeOutput(one)));
    const steps = drawDeafRelay(chance, product, chance.between(0, outputs.length - 1), untilMs);
    return reads === 'lines' && plain !== -1 ? [...steps, ...drawDrop(chance, product, plain, untilMs)] : steps;
  });
}

function drawDeafRelay(chance: SeededChance, product: number, output: number, untilMs: number): PlannedStep[] {
  const atMs = chance.between(1_500, untilMs - SCENE_MS);
  const forMs = chance.between(300, 2_000);
  const state = chance.pick<0 | 1>(0, 1);
  const fault = { kind: 'deaf-relay', machine: machineOf(product), output, forMs } as const;
  return [
    set(chance, product, output, atMs, state === 1 ? 0 : 1),
    { atMs: atMs + DONE_MS, do: 'fault', fault },
    set(chance, product, output, atMs + DONE_MS + chance.between(10, 200), state),
    set(chance, product, output, atMs + DONE_MS + forMs + 100, state),
  ];
}

function drawDrop(chance: SeededChance, product: number, output: number, untilMs: number): PlannedStep[] {
  const atMs = chance.between(1_500, untilMs - SCENE_MS);
  const fault = { kind: 'relay-drops', machine: machineOf(product), output } as const;
  return [
    set(chance, product, output, atMs, 1),
    { atMs: atMs + DONE_MS, do: 'fault', fault },
    set(chance, product, output, atMs + DONE_MS + chance.between(10, 1_000), 1),
  ];
}

function set(chance: SeededChance, product: number, numOutput: number, atMs: number, state: 0 | 1): PlannedStep {
  const request = { type: 'set', numOutput, state } as const;
  if (chance.fraction() < 0.4) return { atMs, do: 'technician', product, request };
  return { atMs, do: 'call', client: 0, call: { kind: 'set', product, numOutput, state } };
}

/** On-off, with no policy but what it does at a start. */
export function isPlain({
  mode,
  maxOnMs,
  minSwitchIntervalMs,
  interlock,
  feedbackInput,
  ...loss
}: CompleteOutput): boolean {
  const isLost = loss.onLinkLoss === 'off' || loss.onAgentLoss === 'off';
  return (
    mode === 'on-off' &&
    maxOnMs === 0 &&
    minSwitchIntervalMs === 0 &&
    interlock === null &&
    feedbackInput === null &&
    !isLost
  );
}
