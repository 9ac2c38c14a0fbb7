import type { SeededChance } from '../../support/chance/seeded-chance';
import { drawAway } from './boards';
import { machineOf, type PlannedStep, type Scope } from './plan';
import { CLICKING_MS } from './proofs';
import { drawCrash } from './wishes';

/** Proofs of the wiring with right and wrong answers, and commands, crashes and unplugged boards in the middle of the clicks. */
export function drawClicks(chance: SeededChance, { products, untilMs }: Scope): PlannedStep[] {
  if (chance.fraction() < 0.85) return [];
  const product = chance.between(0, products.length - 1);
  const machine = machineOf(product);
  const atMs = chance.between(1_500, Math.max(1_500, untilMs - CLICKING_MS));
  const watching = chance.pick('seen', 'seen', 'exchanged', 'unseen', 'guessed');
  const steps: PlannedStep[] = [{ atMs, do: 'prove', product, watching }];
  for (let calls = chance.between(0, 4); calls > 0; calls -= 1) {
    const call = { kind: 'toggle', product, numOutput: chance.between(0, 3) } as const;
    steps.push({ atMs: atMs + chance.between(-200, CLICKING_MS), do: 'call', client: 0, call });
  }
  const faultAtMs = atMs + chance.between(0, CLICKING_MS);
  const away = drawAway(chance, machine, chance.between(20, 3_000));
  const fault = chance.pick(null, null, drawCrash(chance, machine), away);
  if (fault) steps.push({ atMs: faultAtMs, do: 'fault', fault });
  // Somebody else is at work there too.
  if (chance.fraction() < 0.3) {
    const numOutput = chance.between(0, 3);
    const request = { type: 'set', numOutput, state: chance.pick<0 | 1>(0, 1) } as const;
    steps.push({ atMs: atMs + chance.between(0, CLICKING_MS), do: 'technician', product, request });
  }
  return steps;
}
