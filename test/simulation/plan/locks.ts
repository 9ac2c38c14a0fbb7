import type { SeededChance } from '../../support/chance/seeded-chance';
import { machineOf, type PlannedStep, type Scope } from './plan';
import { drawCrash } from './wishes';

/** The shortest one: all have ended by themselves when the last commands are tried. */
const LOCK_MS = 60_000;

/** Outputs that a technician locks, with commands and crashes while they are. Output 0 is for the last commands. */
export function drawLocks(chance: SeededChance, { products, untilMs }: Scope): PlannedStep[] {
  const steps: PlannedStep[] = [];
  for (let left = chance.pick(0, 0, 1, 2); left > 0; left -= 1) {
    const product = chance.between(0, products.length - 1);
    const numOutput = chance.between(1, 3);
    const atMs = chance.between(1_500, untilMs);
    const ask = (at: number, request: Extract<PlannedStep, { do: 'technician' }>['request']): void =>
      void steps.push({ atMs: at, do: 'technician', product, request });
    ask(atMs, { type: 'lock', numOutput, forMs: LOCK_MS });
    for (let calls = chance.between(1, 5); calls > 0; calls -= 1) {
      const call = { kind: 'toggle', product, numOutput } as const;
      steps.push({ atMs: atMs + chance.between(-100, 8_000), do: 'call', client: 0, call });
    }
    if (chance.fraction() < 0.4) ask(atMs + chance.between(200, 8_000), { type: 'set', numOutput, state: 1 });
    if (chance.fraction() < 0.5) {
      const faultAtMs = atMs + chance.between(0, 4_000);
      steps.push({ atMs: faultAtMs, do: 'fault', fault: drawCrash(chance, machineOf(product)) });
    }
    if (chance.fraction() < 0.4) ask(atMs + chance.between(500, 8_000), { type: 'unlock', numOutput });
  }
  return steps;
}
