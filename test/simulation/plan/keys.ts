import type { SeededChance } from '../../support/chance/seeded-chance';
import { KEY_ANEW_MS, KEY_KEPT_MS } from '../../support/time/promised-times';
import { type Fault, machineOf, type PlannedCall, type PlannedStep, type Scope, SERVER_MACHINE } from './plan';

/** Until a client is associated. */
const ASSOCIATED_MS = 300;
/** The last commands and the last wait take at least as long. */
const AFTERMATH_MS = 15_000;

/**
 * Commands under keys, asked for again: behind their answers, from a second connection, for something else, by another client, beside
 * whatever loses an answer, and when the key is old by the server's wall clock or by true time.
 */
export function drawKeys(chance: SeededChance, { broad: { clients, products, untilMs } }: Scope): PlannedStep[] {
  if (chance.fraction() < 0.8) return [];
  const steps: PlannedStep[] = [];
  for (let n = chance.between(1, 3); n > 0; n -= 1) {
    const product = chance.between(0, products.length - 1);
    const client = chance.pick(0, 0, chance.between(0, clients - 1));
    const atMs = chance.between(1_000, untilMs);
    const ask = (afterMs: number, call: PlannedCall, who = client): void => {
      const about: PlannedCall = { kind: 'associate', product, numOutput: 0 };
      if (who !== 0) steps.push({ atMs: atMs + afterMs - ASSOCIATED_MS, do: 'call', client: who, call: about });
      steps.push({ atMs: atMs + afterMs, do: 'call', client: who, call });
    };
    const soon = (): number =>
      chance.pick(0, chance.between(0, 60), chance.between(60, 1_000), chance.between(1_000, 7_000));
    const key = `key-${n}`;
    const call = drawCommand(chance, product, key);
    const { againMs: _none, ...once } = call;
    ask(0, call);
    steps.push(...drawFaults(chance, product, atMs));
    if (chance.fraction() < 0.5) ask(soon(), once);
    if (chance.fraction() < 0.3) ask(soon(), drawCommand(chance, product, key));
    if (chance.fraction() < 0.4) ask(soon(), once, chance.between(0, clients - 1));
    if (chance.fraction() < 0.3)
      steps.push({ atMs: atMs + soon(), do: 'fault', fault: { kind: 'wall-jump', byMs: drawJump(chance) } });
    if (chance.fraction() < 0.2 && atMs + KEY_ANEW_MS < untilMs + AFTERMATH_MS)
      ask(KEY_ANEW_MS + chance.between(-1_000, 1_000), once);
  }
  return steps;
}

type Command = Extract<PlannedCall, { kind: 'set' | 'toggle' }>;

function drawCommand(chance: SeededChance, product: number, key: string): Command {
  const numOutput = chance.between(0, 3);
  const againMs = Array.from({ length: chance.between(1, 4) }, () =>
    chance.pick(0, chance.between(0, 300), chance.between(300, 3_000)),
  );
  const about = { product, numOutput, key, againMs };
  return chance.fraction() < 0.7
    ? { kind: 'toggle', ...about }
    : { kind: 'set', state: chance.pick<0 | 1>(0, 1), ...about };
}

/** Beside the command; one in four has its server killed while it is at work. */
function drawFaults(chance: SeededChance, product: number, atMs: number): PlannedStep[] {
  const kind = chance.pick('kill', 'any', 'any', 'none');
  if (kind === 'none') return [];
  if (kind === 'any')
    return [{ atMs: atMs + chance.between(-100, 150), do: 'fault', fault: drawFault(chance, product) }];
  const fault = { kind: 'kill', process: 'server', restartMs: chance.between(20, 300) } as const;
  return [{ atMs: atMs + chance.between(15, 80), do: 'fault', fault }];
}

/** What loses an answer, or has the device refuse, or the server forget. */
function drawFault(chance: SeededChance, product: number): Fault {
  const machine = machineOf(product);
  const forMs = chance.pick(chance.between(50, 1_500), chance.between(500, 6_000));
  const restartMs = chance.between(20, 1_000);
  switch (chance.between(0, 9)) {
    case 0:
    case 1:
      return { kind: 'kill-at-point', process: 'server', points: chance.between(1, 30), restartMs };
    case 2:
      return { kind: 'power-cut', machine: chance.pick(SERVER_MACHINE, machine), offMs: chance.between(50, 3_000) };
    case 3:
      return { kind: 'cut', machine, knows: chance.pick('both', 'device', 'nobody'), lateMs: 0, repeats: false };
    case 4:
      return { kind: 'partition', machine, direction: chance.pick('up', 'down', 'both'), forMs };
    case 5:
    case 6:
    case 7:
      return { kind: 'board', machine, mode: chance.pick('fails', 'fails', 'hangs'), forMs };
    default: {
      const mode = chance.pick('slow', 'hangs', 'lost-answer', 'late-answers', 'full', 'unreadable');
      return { kind: 'storage', mode, forMs };
    }
  }
}

function drawJump(chance: SeededChance): number {
  const around = chance.between(-3_000, 3_000);
  return chance.pick(KEY_ANEW_MS + around, -KEY_ANEW_MS, KEY_KEPT_MS + around, KEY_KEPT_MS - 3_600_000);
}
