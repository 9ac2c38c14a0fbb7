import type { SeededChance } from '../../support/chance/seeded-chance';
import type { PlannedCall, PlannedStep, Scope } from './plan';

/** Clients ask what became of commands: of each other's, and of their own when they may not see the product any more (I7). */
export function drawStatuses(chance: SeededChance, { broad: { clients, products, untilMs } }: Scope): PlannedStep[] {
  if (chance.fraction() < 0.7) return [];
  const client = chance.between(1, clients - 1);
  const product = chance.between(0, products.length - 1);
  const numOutput = chance.between(0, 3);
  const atMs = chance.between(500, untilMs - 5_000);
  const call = (afterMs: number, planned: PlannedCall): PlannedStep => ({
    atMs: atMs + afterMs,
    do: 'call',
    client,
    call: planned,
  });
  return [
    call(0, { kind: 'associate', product, numOutput }),
    call(300, { kind: 'toggle', product, numOutput }),
    call(chance.between(300, 2_000), { kind: 'status', of: 0 }),
    call(2_500, { kind: 'dissociate', product, numOutput }),
    call(chance.between(2_500, 4_000), { kind: 'status' }),
  ];
}
