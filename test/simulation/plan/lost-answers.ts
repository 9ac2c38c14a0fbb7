import type { SeededChance } from '../../support/chance/seeded-chance';
import { machineOf, type PlannedStep, type Scope } from './plan';

/** A database that refuses what it commits all the same, and what then is tried again. */
export function drawLostAnswers(chance: SeededChance, { broad: { clients, products, untilMs } }: Scope): PlannedStep[] {
  if (chance.fraction() < 0.7) return [];
  const product = chance.between(0, products.length - 1);
  const mode = chance.pick('hangs', 'lost-answer');
  const forMs = mode === 'hangs' ? chance.between(500, 12_000) : chance.between(50, 2_000);
  const atMs = chance.between(1_000, Math.max(1_000, untilMs - forMs));
  const around = (): number => atMs + chance.between(-100, Math.min(forMs, 3_000));
  const steps: PlannedStep[] = [{ atMs, do: 'fault', fault: { kind: 'storage', mode, forMs } }];
  for (let left = 3; left > 0; left -= 1) {
    const numOutput = chance.between(0, 3);
    steps.push({ atMs: around(), do: 'call', client: 0, call: { kind: 'toggle', product, numOutput } });
  }
  const client = chance.between(0, clients - 1);
  steps.push({ atMs: around(), do: 'call', client, call: { kind: 'refresh' } });
  if (chance.fraction() < 0.5) {
    const cut = { kind: 'cut', machine: machineOf(product), knows: 'both', lateMs: 0, repeats: false } as const;
    steps.push({ atMs: around(), do: 'fault', fault: cut });
  }
  return steps;
}
