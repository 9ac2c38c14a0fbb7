import { type CompleteOutput, completeOutput } from '@relaygate/shared/device';
import type { SeededChance } from '../../support/chance/seeded-chance';
import { machineOf, type PlannedStep, type Scope } from './plan';

/** Until a command has come through, where nothing holds it up. */
const DONE_MS = 400;
/** A pulse that is long enough for its relay to drop, and for another command to come behind that. */
const LONG_MS = 1_200;

/** Relays that lose their supply in a pulse, at boards that tell so, and a command that would find it running. */
export function drawDroppedPulses(chance: SeededChance, { products, untilMs }: Scope): PlannedStep[] {
  return products.flatMap(({ outputs, reads }, product): PlannedStep[] => {
    const output = outputs.findIndex((one) => isLongPulse(completeOutput(one)));
    if (reads !== 'lines' || output === -1 || chance.fraction() < 0.5) return [];
    const atMs = chance.between(1_500, untilMs - LONG_MS);
    const call = { kind: chance.pick('toggle', 'set'), product, numOutput: output, state: 1 } as const;
    return [
      { atMs, do: 'call', client: 0, call },
      {
        atMs: atMs + DONE_MS,
        do: 'fault',
        fault: { kind: 'relay-drops', machine: machineOf(product), output },
      },
      { atMs: atMs + DONE_MS + chance.between(10, 600), do: 'call', client: 0, call },
    ];
  });
}

function isLongPulse({ mode, pulseMs, minSwitchIntervalMs, interlock, feedbackInput }: CompleteOutput): boolean {
  const isPlain = minSwitchIntervalMs === 0 && interlock === null && feedbackInput === null;
  return mode === 'impulse' && pulseMs >= LONG_MS && isPlain;
}
