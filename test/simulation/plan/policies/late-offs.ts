import { completeOutput } from '@relaygate/shared/device';
import type { SeededChance } from '../../../support/chance/seeded-chance';
import { machineOf, type PlannedStep, type Scope } from '../plan';

/** A journal that is slow takes longer than this for a write. */
const JOURNAL_MS = 30;
/** So long before the time is up is the output told to go off, at most. */
const BEFORE_END_MS = 300;

/** An off that still waits for the journal when maxOnMs is over: by chance alone one seed in 500 had it. */
export function drawLateOffs(chance: SeededChance, { products, untilMs }: Scope): PlannedStep[] {
  return products.flatMap(({ outputs, requireProof }, product) =>
    outputs.map(completeOutput).flatMap(({ mode, powerOn, maxOnMs }, numOutput): PlannedStep[] => {
      const forMs = maxOnMs + 1_500;
      const waitsForJournalOnly = mode === 'on-off' && powerOn !== 'restore' && !requireProof;
      const isFor = waitsForJournalOnly && maxOnMs > BEFORE_END_MS + JOURNAL_MS;
      if (!isFor || forMs > untilMs - 1_500 || chance.fraction() < 0.3) return [];
      const atMs = chance.between(1_500, untilMs - forMs);
      const set = (afterMs: number, state: 0 | 1): PlannedStep => {
        const request = { type: 'set', numOutput, state } as const;
        return { atMs: atMs + afterMs, do: 'technician', product, request };
      };
      const slow = { kind: 'disk', machine: machineOf(product), mode: 'journal-slow', forMs: 1_000 } as const;
      const offMs = maxOnMs - JOURNAL_MS - chance.between(0, BEFORE_END_MS - JOURNAL_MS);
      // Its on is in the journal before that is slow.
      return [set(0, 1), { atMs: atMs + Math.max(100, offMs - 100), do: 'fault', fault: slow }, set(offMs, 0)];
    }),
  );
}
