/** Plans of one machine, whose outputs come back after a power cut as they were. */
import type { OutputSettings } from '@relaygate/shared/device';
import type { Plan } from './plan';

export const ONE_GATE = 'gate-0';

const restored = (name: string): OutputSettings => ({
  name,
  mode: 'on-off',
  pulseMs: 500,
  activeLevel: 'high',
  powerOn: 'restore',
});

export function oneGatePlan(
  steps: Plan['steps'],
  { seed = 1, untilMs = 12_000, rules = {} as Partial<OutputSettings> } = {},
): Plan {
  const outputs = ['Barn', 'Yard', 'Gate', 'Lamp'].map((name) => ({ ...restored(name), ...rules }));
  return {
    seed,
    products: [{ outputs, requireProof: false, hasConsole: false, isReset: false, reads: 'orders' }],
    clients: 1,
    untilMs,
    steps,
  };
}

/** Output 0 goes on. */
export const switchedOn = (atMs: number): Plan['steps'][number] => ({
  atMs,
  do: 'call',
  client: 0,
  call: { kind: 'set', product: 0, numOutput: 0, state: 1 },
});
