import type { SeededChance } from '../../support/chance/seeded-chance';
import { machineOf, type PlannedCall, type PlannedStep, type Scope } from './plan';

/** What puts a link out of date just when it matters (I12). Drawn apart from the rest of the plan, which stays as it is. */
export function drawRelinks(chance: SeededChance, { broad: { products, untilMs } }: Scope): PlannedStep[] {
  if (chance.fraction() < 0.8) return [];
  const product = chance.between(0, products.length - 1);
  const atMs = chance.between(4_000, untilMs);
  if (chance.fraction() < 0.25) return revokedAtOpening(chance, product, atMs);
  if (chance.fraction() < 0.5) return lateResult(chance, product, atMs);
  const outputs = products[product]?.outputs ?? [];
  const numOutput = outputs.findIndex(({ mode, powerOn }) => mode === 'on-off' && powerOn === 'restore');
  return numOutput < 0 ? [] : commandInHand(chance, { product, numOutput }, atMs);
}

const TRIES = 4;

/** The record of a command waits for a slow journal, and its device is linked anew meanwhile: a guard that checks no epochs moves it. */
export function drawSuperseded(chance: SeededChance, { products, untilMs }: Scope): PlannedStep[] {
  if (chance.fraction() < 0.7) return [];
  const [first, ...others] = products.flatMap(({ requireProof }, product) => (requireProof ? [] : [product]));
  if (first === undefined) return [];
  return Array.from({ length: TRIES }, () => chance.between(1_500, untilMs)).flatMap((atMs): PlannedStep[] => {
    const product = chance.pick(first, ...others);
    const machine = machineOf(product);
    const cutMs = atMs + chance.between(60, 120);
    return [
      { atMs: atMs - 10, do: 'fault', fault: { kind: 'disk', machine, mode: 'journal-slow', forMs: 1_500 } },
      call(atMs, { kind: 'toggle', product, numOutput: chance.between(0, 3) }),
      { atMs: cutMs, do: 'fault', fault: { kind: 'cut', machine, knows: 'both', lateMs: 0, repeats: false } },
    ];
  });
}

/** "Off" of a `restore` output waits for a slow disk, and the device is linked anew meanwhile. */
function commandInHand(
  chance: SeededChance,
  output: { product: number; numOutput: number },
  atMs: number,
): PlannedStep[] {
  const machine = machineOf(output.product);
  return [
    call(atMs - 3_000, { kind: 'set', ...output, state: 1 }),
    { atMs: atMs - 10, do: 'fault', fault: { kind: 'disk', machine, mode: 'slow', forMs: 4_000 } },
    call(atMs, { kind: 'set', ...output, state: 0 }),
    {
      atMs: atMs + chance.between(80, 200),
      do: 'fault',
      fault: { kind: 'cut', machine, knows: 'both', lateMs: 0, repeats: false },
    },
  ];
}

/** A result is on its way when its device loses power; it arrives when the next boot of the device is linked. */
function lateResult(chance: SeededChance, product: number, atMs: number): PlannedStep[] {
  const machine = machineOf(product);
  const extraMs = chance.between(2_000, 6_000);
  const cutMs = atMs + chance.between(100, 200);
  return [
    { atMs: atMs - 10, do: 'fault', fault: { kind: 'delay', machine, direction: 'up', extraMs, forMs: 200 } },
    call(atMs, { kind: 'toggle', product, numOutput: chance.between(0, 3) }),
    { atMs: cutMs, do: 'fault', fault: { kind: 'power-cut', machine, offMs: 100 } },
  ];
}

/** A device is revoked between the opening of its link and its welcome, which a database that answers late keeps apart. */
function revokedAtOpening(chance: SeededChance, product: number, atMs: number): PlannedStep[] {
  const machine = machineOf(product);
  return [
    { atMs, do: 'fault', fault: { kind: 'cut', machine, knows: 'both', lateMs: 0, repeats: false } },
    { atMs, do: 'operate', operation: { kind: 'revoke-at-opening', product } },
    // The device is back within a second, and a write that is answered later than that has failed.
    { atMs, do: 'fault', fault: { kind: 'storage', mode: 'late-answers', forMs: chance.between(900, 1_100) } },
  ];
}

function call(atMs: number, planned: PlannedCall): PlannedStep {
  return { atMs, do: 'call', client: 0, call: planned };
}
