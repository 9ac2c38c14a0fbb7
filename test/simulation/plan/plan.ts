import type { InputSettings, OutputSettings } from '@relaygate/shared/device';
import { SeededChance } from '../../support/chance/seeded-chance';
import type { LocalRequest, Visit, Watching } from '../people/local-request';
import type { StoreMode } from '../ports/database/store-mode';

/** Everything a seed has decided up front: a list, so that a failure can be made shorter by leaving things out. */
export interface Plan {
  readonly seed: number;
  readonly products: readonly PlannedProduct[];
  /** How many; client 0 is associated with every product from the start. */
  readonly clients: number;
  readonly steps: readonly PlannedStep[];
  /** After this the faults are healed, and what is left must come right by itself. */
  readonly untilMs: number;
}

/** What a part of a plan is drawn for. `products`: with what all parts have set up; `broad`: as the plan began. */
export interface Scope {
  readonly broad: Plan;
  readonly products: readonly PlannedProduct[];
  readonly untilMs: number;
}

export interface PlannedProduct {
  readonly outputs: readonly OutputSettings[];
  /** Nobody moves it from afar before somebody has proven its wiring. */
  readonly requireProof: boolean;
  /** A serial console, and somebody at it. */
  readonly hasConsole: boolean;
  /** Somebody makes a factory reset here. */
  readonly isReset: boolean;
  readonly reads: BoardReads;
  /** Absent: none means anything. */
  readonly inputs?: readonly InputSettings[];
}

/** What a board can tell: how its lines are at any time; how one is behind an order to it; nothing. */
export type BoardReads = 'lines' | 'orders' | 'nothing';

export type PlannedStep = { readonly atMs: number } & (
  | { do: 'call'; client: number; call: PlannedCall }
  | { do: 'operate'; operation: Operation }
  | { do: 'technician'; product: number; request: LocalRequest }
  /** Every relay clicks, and somebody says which one did. */
  | { do: 'prove'; product: number; watching: Watching }
  | { do: 'visit'; product: number; visit: Visit }
  | { do: 'fault'; fault: Fault }
  /** `times`: it becomes so at the first of them, and another at each of the others. `flap`: another each millisecond. */
  | {
      do: 'input';
      product: number;
      numInput: number;
      moves: { kind: 'times'; isActive: boolean; timesMs: readonly number[] } | { kind: 'flap'; forMs: number };
    }
);

export type PlannedCall =
  | ({ kind: 'set'; product: number; numOutput: number; state: 0 | 1 } & UnderKey)
  | ({ kind: 'toggle'; product: number; numOutput: number } & UnderKey)
  | { kind: 'state' | 'associate' | 'dissociate'; product: number; numOutput: number }
  /** Of the last command of this client, or of another one. */
  | { kind: 'status'; of?: number }
  | { kind: 'login' }
  | { kind: 'refresh' }
  /** The token before the last one, or the one before that. */
  | { kind: 'refresh-old'; generationsBack: 1 | 2 };

/** `againMs`: so long after each answer, or the wait for one, the same is asked again under the same key. */
interface UnderKey {
  readonly key?: string;
  readonly againMs?: readonly number[];
}

export type Operation =
  | { kind: 'set-client-active'; client: number; active: boolean }
  | { kind: 'set-product-active'; product: number; active: boolean }
  | { kind: 'set-output-active'; product: number; numOutput: number; active: boolean }
  | { kind: 'revoke-device'; product: number; newCodeAfterMs: number }
  /** As soon as a device's next link is written down, and not welcomed yet. */
  | { kind: 'revoke-at-opening'; product: number };

/** The machine that the server runs on; only its power can be cut by that name. */
export const SERVER_MACHINE = 'server';

/** `process`: `server`, `guard gate-0`, `agent gate-0`. `machine`: `gate-0`, or the twin's `gate-0b`. */
export type Fault =
  | { kind: 'kill'; process: string; restartMs: number }
  /** In order, by SIGTERM. */
  | { kind: 'stop'; process: string; restartMs: number }
  /** At one of its next port calls, just before or just after what it does. */
  | { kind: 'kill-at-point'; process: string; points: number; restartMs: number }
  | { kind: 'power-cut'; machine: string; offMs: number }
  /** Of the machine of this process, at one of its next port calls. */
  | { kind: 'power-cut-at-point'; process: string; points: number; offMs: number }
  | { kind: 'stall'; process: string; forMs: number; timersFirst: boolean }
  | { kind: 'partition'; machine: string; direction: 'up' | 'down' | 'both'; forMs: number }
  | { kind: 'delay'; machine: string; direction: 'up' | 'down' | 'both'; extraMs: number; forMs: number }
  | { kind: 'repeat'; machine: string; percent: number; forMs: number }
  | { kind: 'cut'; machine: string; knows: 'both' | 'device' | 'server' | 'nobody'; lateMs: number; repeats: boolean }
  | { kind: 'wall-jump'; byMs: number }
  | { kind: 'storage'; mode: Exclude<StoreMode, 'works'>; forMs: number }
  /** Of the server's machine, while its writer thread has a group at the disk. */
  | { kind: 'power-cut-at-write'; offMs: number }
  | { kind: 'board'; machine: string; mode: 'fails' | 'hangs' | 'slow'; forMs: number }
  /** Its adapter is unplugged: at once, or at one of the next port calls of its guard. */
  | {
      kind: 'board-away';
      machine: string;
      points: number;
      forMs: number;
      relays: 'stay' | 'fall';
      /** When it is back it says how its relays are. */
      tells: boolean;
    }
  | { kind: 'disk'; machine: string; mode: 'fails' | 'slow' | 'journal-slow'; forMs: number }
  /** A relay that follows no order, at a board that reads its lines. */
  | { kind: 'deaf-relay'; machine: string; output: number; forMs: number }
  /** A relay that loses its supply, once, and nobody is told. */
  | { kind: 'relay-drops'; machine: string; output: number }
  /** A relay that does not go off. */
  | { kind: 'stuck-relay'; machine: string; output: number; forMs: number }
  /** The feedback input of an output, where it has one. */
  | { kind: 'input'; machine: string; output: number; mode: 'stuck' | 'unreadable'; forMs: number }
  | { kind: 'twin'; product: number; forMs: number }
  /** `forges`: under the key that the server knows; else under one of its own. */
  | { kind: 'impostor'; product: number; forMs: number; forges: boolean }
  | { kind: 'spoilt-settings'; machine: string; forMs: number };

export function machineOf(product: number): string {
  return `gate-${product}`;
}

export function twinOf(product: number): string {
  return `gate-${product}b`;
}

/** Calls, operations and faults of every kind, all over the run. */
export function drawBroadPlan(seed: number): Plan {
  const chance = new SeededChance(seed).fork('plan');
  const products = Array.from({ length: chance.pick(1, 1, 2) }, () => ({
    outputs: drawOutputs(chance),
    requireProof: false,
    hasConsole: false,
    isReset: false,
    reads: 'orders' as const,
  }));
  const clients = chance.between(2, 3);
  const untilMs = chance.between(10_000, 22_000);
  const steps: PlannedStep[] = [];
  const someTime = (): number => chance.between(500, untilMs);
  for (let left = chance.between(6, 20); left > 0; left -= 1) {
    const call = drawCall(chance, products.length);
    const client = chance.pick(0, 0, chance.between(0, clients - 1));
    const atMs = someTime();
    steps.push({ atMs, do: 'call', client, call });
    // Somebody else wants the same at nearly the same time.
    if (chance.fraction() < 0.15) {
      const other = chance.between(0, clients - 1);
      steps.push({ atMs: atMs + chance.between(0, 200), do: 'call', client: other, call });
    }
  }
  for (let left = chance.pick(0, 0, 1, 2); left > 0; left -= 1) {
    steps.push(...drawOperation(chance, someTime(), products.length, clients));
  }
  for (let left = chance.pick(0, 1, 2, 3, 4, 5, 6); left > 0; left -= 1) {
    const atMs = someTime();
    steps.push({ atMs, do: 'fault', fault: drawFault(chance, products.length) });
    // Faults meet commands more often than by chance.
    const product = chance.between(0, products.length - 1);
    const call: PlannedCall = { kind: 'toggle', product, numOutput: chance.between(0, 3) };
    if (chance.fraction() < 0.7) steps.push({ atMs: atMs - chance.between(0, 150), do: 'call', client: 0, call });
  }
  return { seed, products, clients, untilMs, steps: steps.toSorted((one, other) => one.atMs - other.atMs) };
}

/** The same plan with these of its steps alone, by their place in it; null: all of them. */
export function onlySteps(plan: Plan, numbers: readonly number[] | null): Plan {
  return numbers === null ? plan : { ...plan, steps: plan.steps.filter((_step, n) => numbers.includes(n)) };
}

/** Two on-off outputs, two impulse outputs. */
function drawOutputs(chance: SeededChance): OutputSettings[] {
  return [0, 1, 2, 3].map((numOutput) => ({
    name: `Output ${numOutput}`,
    mode: numOutput < 2 ? 'on-off' : 'impulse',
    pulseMs: chance.pick(500, chance.between(50, 8_000)),
    activeLevel: chance.pick('high', 'low'),
    powerOn: chance.pick('off', 'on', 'restore', 'restore'),
  }));
}

function drawCall(chance: SeededChance, products: number): PlannedCall {
  const product = chance.between(0, products - 1);
  const numOutput = chance.between(0, 20) === 0 ? 7 : chance.between(0, 3);
  const state = chance.pick<0 | 1>(0, 1);
  switch (chance.between(0, 15)) {
    case 0:
      return { kind: 'state', product, numOutput };
    case 1:
      return { kind: 'status' };
    case 2:
    case 3:
      return { kind: 'refresh' };
    case 4:
      return { kind: 'refresh-old', generationsBack: chance.pick(1, 2) };
    case 5:
      return { kind: chance.pick('associate', 'associate', 'dissociate'), product, numOutput };
    case 6:
      return { kind: 'login' };
    case 7:
    case 8:
    case 9:
    case 10:
      return { kind: 'toggle', product, numOutput };
    default:
      return { kind: 'set', product, numOutput, state };
  }
}

function drawOperation(chance: SeededChance, atMs: number, products: number, clients: number): PlannedStep[] {
  const product = chance.between(0, products - 1);
  const client = chance.between(0, clients - 1);
  const numOutput = chance.between(0, 3);
  const backAtMs = atMs + chance.between(500, 10_000);
  const operate = (at: number, operation: Operation): PlannedStep => ({ atMs: at, do: 'operate', operation });
  switch (chance.between(0, 3)) {
    case 0:
      return [false, true].map((active) =>
        operate(active ? backAtMs : atMs, { kind: 'set-client-active', client, active }),
      );
    case 1:
      return [false, true].map((active) =>
        operate(active ? backAtMs : atMs, { kind: 'set-product-active', product, active }),
      );
    case 2:
      return [false, true].map((active) =>
        operate(active ? backAtMs : atMs, { kind: 'set-output-active', product, numOutput, active }),
      );
    default:
      return [operate(atMs, { kind: 'revoke-device', product, newCodeAfterMs: chance.between(100, 8_000) })];
  }
}

function drawFault(chance: SeededChance, products: number): Fault {
  const product = chance.between(0, products - 1);
  const machine = machineOf(product);
  const process = chance.pick('server', `guard ${machine}`, `agent ${machine}`);
  const direction = chance.pick('up', 'down', 'both', 'both');
  const forMs = chance.pick(chance.between(50, 2_000), chance.between(1_000, 6_000), chance.between(5_000, 20_000));
  const restartMs = chance.pick(chance.between(20, 300), chance.between(200, 3_000));
  switch (chance.between(0, 18)) {
    case 0:
    case 1:
      return { kind: 'kill', process, restartMs };
    case 2:
    case 3:
    case 4:
      return { kind: 'kill-at-point', process, points: chance.between(1, 30), restartMs };
    case 5:
    case 6:
      return { kind: 'power-cut', machine, offMs: chance.between(100, 8_000) };
    case 7:
    case 8:
      return { kind: 'stall', process, forMs: chance.between(50, 7_000), timersFirst: chance.pick(true, false) };
    case 9:
    case 10:
      return { kind: 'partition', machine, direction, forMs };
    case 11:
      return { kind: 'delay', machine, direction, extraMs: chance.between(100, 6_000), forMs };
    case 12:
      return { kind: 'repeat', machine, percent: chance.between(10, 100), forMs };
    case 13:
    case 14: {
      const knows = chance.pick('both', 'both', 'device', 'server', 'nobody');
      return {
        kind: 'cut',
        machine,
        knows,
        lateMs: chance.pick(0, chance.between(10, 4_000)),
        repeats: chance.pick(true, false),
      };
    }
    case 15:
      return { kind: 'wall-jump', byMs: chance.pick(3_600_000, -3_600_000, chance.between(-40_000, 40_000)) };
    case 16:
      return {
        kind: 'storage',
        mode: chance.pick('slow', 'locked', 'full', 'down'),
        forMs: chance.between(100, 5_000),
      };
    case 17:
      return chance.fraction() < 0.5
        ? { kind: 'board', machine, mode: chance.pick('fails', 'hangs', 'slow'), forMs: chance.between(100, 4_000) }
        : { kind: 'disk', machine, mode: chance.pick('fails', 'slow'), forMs: chance.between(100, 5_000) };
    default:
      return { kind: 'twin', product, forMs: chance.between(2_000, 15_000) };
  }
}
