import type { SeededChance } from '../../support/chance/seeded-chance';
import type { Fault, PlannedStep, Scope } from './plan';

/** Until a client has its tokens. */
const LOGIN_MS = 500;

/** What the server's writer thread and its disk do wrong while much is written, and power that goes in the middle of it. */
export function drawWriters(chance: SeededChance, { broad: { clients, products, untilMs } }: Scope): PlannedStep[] {
  if (chance.fraction() < 0.5) return [];
  const product = chance.between(0, products.length - 1);
  const atMs = chance.between(1_000, untilMs);
  const fault = drawWriterFault(chance);
  const forMs = fault.kind === 'storage' ? Math.min(fault.forMs, 3_000) : 500;
  const around = (): number => atMs + chance.between(-100, forMs);
  const steps: PlannedStep[] = [
    // Whoever cannot log in writes nothing else.
    { atMs: atMs - LOGIN_MS, do: 'call', client: 0, call: { kind: 'login' } },
    { atMs, do: 'fault', fault },
  ];
  for (let left = chance.between(2, 4); left > 0; left -= 1) {
    const call = { kind: 'toggle', product, numOutput: chance.between(0, 3) } as const;
    steps.push({ atMs: around(), do: 'call', client: 0, call });
  }
  const client = chance.between(0, clients - 1);
  for (const kind of ['associate', 'dissociate'] as const)
    if (chance.fraction() < 0.5)
      steps.push({ atMs: around(), do: 'call', client, call: { kind, product, numOutput: 0 } });
  if (chance.fraction() < 0.3) steps.push({ atMs: around(), do: 'call', client, call: { kind: 'refresh' } });
  return steps;
}

function drawWriterFault(chance: SeededChance): Fault {
  if (chance.fraction() < 0.4) return { kind: 'power-cut-at-write', offMs: chance.between(50, 4_000) };
  const mode = chance.pick(
    ...(['group-fails', 'late-answers', 'thread-dies', 'unreadable', 'full'] as const),
    ...(['member-fails', 'member-fails', 'member-fails'] as const),
  );
  return { kind: 'storage', mode, forMs: chance.pick(chance.between(50, 1_500), chance.between(500, 11_000)) };
}
