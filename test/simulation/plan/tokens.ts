import type { SeededChance } from '../../support/chance/seeded-chance';
import type { PlannedStep, Scope } from './plan';

/** The last commands and the last wait take at least as long. */
const AFTERMATH_MS = 15_000;

/** A token that comes again long after its successor was given. Drawn apart from the rest of the plan. */
export function drawTokens(chance: SeededChance, { broad: { clients, untilMs } }: Scope): PlannedStep[] {
  const againMs = 1_000 + chance.between(25_000, 40_000);
  // Whatever else has healed by then.
  if (chance.fraction() < 0.85 || againMs > untilMs + AFTERMATH_MS) return [];
  const client = chance.between(0, clients - 1);
  return [
    { atMs: 500, do: 'call', client, call: { kind: 'login' } },
    { atMs: 1_000, do: 'call', client, call: { kind: 'refresh' } },
    { atMs: againMs, do: 'call', client, call: { kind: 'refresh-old', generationsBack: 1 } },
  ];
}
