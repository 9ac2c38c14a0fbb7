import { completeOutput } from '@relaygate/shared/device';
import type { SeededChance } from '../../support/chance/seeded-chance';
import { machineOf, type PlannedStep, type Scope } from './plan';

/** By then an input shows its relay, unless it is sluggish. */
const SHOWN_MS = 60;
/** Between a command's proof and what comes next. */
const APART_MS = 200;

/**
 * Inputs that stick as active while their relay is on. It goes off, and on again: that edge was shown before it came (I3).
 * By chance alone one seed in sixty had such an edge.
 */
export function drawStuckInputs(chance: SeededChance, { products, untilMs }: Scope): PlannedStep[] {
  return products.flatMap(({ outputs }, product) =>
    outputs.map(completeOutput).flatMap(({ mode, pulseMs, feedbackInput, feedbackMs }, output): PlannedStep[] => {
      const proofMs = feedbackMs + APART_MS;
      const onMs = mode === 'impulse' ? pulseMs : proofMs;
      const againMs = onMs + proofMs;
      const forMs = againMs + proofMs;
      if (feedbackInput === null || onMs <= SHOWN_MS || forMs > untilMs - 1_500 || chance.fraction() < 0.3) return [];
      const atMs = chance.between(1_500, untilMs - forMs);
      const set = (afterMs: number, state: 0 | 1): PlannedStep => {
        const request = { type: 'set', numOutput: output, state } as const;
        return { atMs: atMs + afterMs, do: 'technician', product, request };
      };
      const fault = { kind: 'input', machine: machineOf(product), output, mode: 'stuck', forMs } as const;
      const off = mode === 'impulse' ? [] : [set(onMs, 0)];
      return [set(0, 1), { atMs: atMs + SHOWN_MS, do: 'fault', fault }, ...off, set(againMs, 1)];
    }),
  );
}
