import type { SeededChance } from '../support/seeded-chance';
import type { Plan, PlannedStep } from './plan';

/** A token that comes again long after its successor was given. Drawn apart from the rest of the plan. */
export function drawTokens(chance: SeededChance, { broad: { clients, untilMs } }: { broad: Plan }): PlannedStep[] {
  const againMs = 1_000 + chance.between(25_000, 40_000);
  if (chance.fraction() < 0.7 || againMs > untilMs) return [];
  const client = chance.between(0, clients - 1);
  return [
    { atMs: 500, do: 'call', client, call: { kind: 'login' } },
    { atMs: 1_000, do: 'call', client, call: { kind: 'refresh' } },
    { atMs: againMs, do: 'call', client, call: { kind: 'refresh-old', generationsBack: 1 } },
  ];
}
