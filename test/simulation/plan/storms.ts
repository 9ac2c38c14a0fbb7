import { completeOutput } from '@relaygate/shared/device';
import type { SeededChance } from '../../support/chance/seeded-chance';
import type { LocalRequest } from '../people/local-request';
import { drawAway } from './boards';
import { isPlain } from './lines';
import { type Fault, machineOf, type PlannedCall, type PlannedProduct, type PlannedStep, type Scope } from './plan';

/** One plan in so many has a storm. */
const PLANS_PER_STORM = 8;
/** Before and behind the middle of a storm. */
const EARLY_MS = 1_500;
const LATE_MS = 2_500;
/** The shortest lock that is accepted: with less than that asked for, none ever held. */
const LOCK_MS = 60_000;
const POLICIES = ['on', 'off', 'restore'] as const;

/**
 * Faults and deeds at one device, most of them at one of its outputs, within 4 s: what takes two or three of them to go wrong
 * hardly ever meets in a plan that spreads them over 20 s.
 */
export function drawStorms(
  chance: SeededChance,
  { products, untilMs }: Pick<Scope, 'products' | 'untilMs'>,
): PlannedStep[] {
  if (chance.between(1, PLANS_PER_STORM) > 1) return [];
  const product = chance.between(0, products.length - 1);
  const numOutput = chance.between(0, 3);
  const middleMs = chance.between(3_500, untilMs - EARLY_MS);
  const on = { type: 'set', numOutput, state: 1 } as const;
  const steps: PlannedStep[] = [{ atMs: middleMs - 2_000, do: 'technician', product, request: on }];
  for (let left = chance.between(4, 9); left > 0; left -= 1) {
    const atMs = middleMs + chance.between(-EARLY_MS, LATE_MS);
    const output = chance.pick(numOutput, numOutput, numOutput, chance.between(0, 3));
    const kind = chance.fraction();
    if (kind < 0.5) steps.push({ atMs, do: 'fault', fault: drawFault(chance, machineOf(product), output) });
    else if (kind < 0.9) steps.push({ atMs, do: 'technician', product, request: drawRequest(chance, output) });
    else steps.push({ atMs, do: 'call', client: 0, call: drawCall(chance, product, output) });
  }
  const relay = drawRelayFault(chance, products, product, numOutput);
  if (relay) {
    const atMs = middleMs + chance.between(-EARLY_MS, LATE_MS);
    const request = { type: 'set', numOutput, state: chance.pick(0, 1) } as const;
    steps.push({ atMs, do: 'fault', fault: relay });
    steps.push({ atMs: atMs + chance.between(10, 1_000), do: 'technician', product, request });
  }
  const locked = chance.fork('locked');
  return [...steps, ...steps.flatMap((step) => drawLocked(locked, step))];
}

/** Where its board tells so, and nothing else of that output is in doubt then. */
function drawRelayFault(
  chance: SeededChance,
  products: readonly PlannedProduct[],
  product: number,
  output: number,
): Fault | null {
  const { outputs, reads } = products[product] ?? {};
  const settings = outputs?.[output];
  const machine = machineOf(product);
  if (!settings || reads !== 'lines' || !isPlain(completeOutput(settings))) return null;
  return chance.pick<Fault>(
    { kind: 'relay-drops', machine, output },
    { kind: 'deaf-relay', machine, output, forMs: chance.between(50, 2_000) },
  );
}

function drawFault(chance: SeededChance, machine: string, output: number): Fault {
  const forMs = chance.between(50, 2_500);
  const process = chance.pick(`guard ${machine}`, `agent ${machine}`);
  const restartMs = chance.between(20, 900);
  switch (chance.between(0, 9)) {
    case 0:
      return { kind: 'board', machine, mode: chance.pick('fails', 'hangs', 'slow'), forMs };
    case 1:
    case 2:
      return drawAway(chance, machine, chance.between(5, 1_500));
    case 3:
      return { kind: chance.pick('kill', 'stop'), process, restartMs };
    case 4:
      return { kind: 'kill-at-point', process, points: chance.between(1, 10), restartMs };
    case 5:
      return { kind: 'power-cut', machine, offMs: chance.between(100, 800) };
    case 6:
      return { kind: 'stall', process, forMs, timersFirst: chance.pick(true, false) };
    case 7:
      return { kind: 'disk', machine, mode: chance.pick('fails', 'slow', 'journal-slow'), forMs };
    case 8:
      return { kind: 'partition', machine, direction: chance.pick('up', 'down', 'both'), forMs };
    default:
      return { kind: 'stuck-relay', machine, output, forMs };
  }
}

function drawRequest(chance: SeededChance, numOutput: number): LocalRequest {
  switch (chance.between(0, 7)) {
    case 0:
      return { type: 'output', numOutput, change: drawChange(chance), force: chance.fraction() < 0.4 };
    case 1:
    case 2:
      return { type: 'output', numOutput, change: { powerOn: chance.pick(...POLICIES) }, force: false };
    case 3:
      return { type: 'pulse', numOutput };
    case 4:
      return drawLock(chance, numOutput);
    case 5:
      return { type: 'unlock', numOutput };
    default:
      return { type: 'set', numOutput, state: chance.pick(0, 1) };
  }
}

/** It outlasts the storm; on output 0, which is for the last commands, it is too short, and refused. */
function drawLock(chance: SeededChance, numOutput: number): LocalRequest {
  const overMs = chance.between(100, 3_000);
  return { type: 'lock', numOutput, forMs: numOutput === 0 ? overMs : LOCK_MS + overMs };
}

/** Applications go on asking for what is locked. */
function drawLocked(chance: SeededChance, { atMs, ...lock }: PlannedStep): PlannedStep[] {
  if (lock.do !== 'technician' || lock.request.type !== 'lock' || lock.request.forMs < LOCK_MS) return [];
  const { product } = lock;
  const { numOutput } = lock.request;
  return [20, 300, 2_000, 6_000].map((ms) => ({
    atMs: atMs + chance.between(0, ms),
    do: 'call',
    client: 0,
    call: drawCall(chance, product, numOutput),
  }));
}

function drawChange(chance: SeededChance): Extract<LocalRequest, { type: 'output' }>['change'] {
  return chance.pick(
    { powerOn: chance.pick(...POLICIES) },
    { mode: chance.pick('on-off', 'impulse') },
    { pulseMs: chance.between(50, 2_000) },
  );
}

function drawCall(chance: SeededChance, product: number, numOutput: number): PlannedCall {
  return chance.pick<PlannedCall>(
    { kind: 'toggle', product, numOutput },
    { kind: 'set', product, numOutput, state: chance.pick(0, 1) },
  );
}
