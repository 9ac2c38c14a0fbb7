import { describe, expect, test } from '@jest/globals';
import type { OutputSettings } from '@relaygate/shared';
import { inheritedUntilMs } from './checker/policies/presence';
import type { Plan } from './plan';
import { runPlan } from './run';

const MACHINE = 'gate-0';
const output = (name: string): OutputSettings => ({
  name,
  mode: 'on-off',
  pulseMs: 500,
  activeLevel: 'high',
  powerOn: 'restore',
  onLinkLoss: 'off',
  linkLossMs: 7_000,
});

/** The agent is heard at about 4.4 s; the guard dies half a second later, and the next one hears that the link is gone. */
const planOf = (seed: number): Plan => ({
  seed,
  products: [{ outputs: ['Barn', 'Yard', 'Gate', 'Lamp'].map(output), requireProof: false }],
  clients: 1,
  untilMs: 12_000,
  steps: [
    { atMs: 2_600, do: 'call', client: 0, call: { kind: 'set', product: 0, numOutput: 0, state: 1 } },
    { atMs: 4_000, do: 'fault', fault: { kind: 'disk', machine: MACHINE, mode: 'journal-slow', forMs: 3_000 } },
    { atMs: 4_950, do: 'fault', fault: { kind: 'kill', process: `guard ${MACHINE}`, restartMs: 200 } },
    { atMs: 4_960, do: 'fault', fault: { kind: 'partition', machine: MACHINE, direction: 'both', forMs: 14_000 } },
    {
      atMs: 5_000,
      do: 'fault',
      fault: { kind: 'cut', machine: MACHINE, knows: 'both', lateMs: 0, repeats: false },
    },
  ],
});

describe('the checker', () => {
  test('lets a guard count a loss from what the one before could still write to a slow journal (I5)', async () => {
    // How long each write takes is drawn: some guards find what was heard last, some do not.
    for (let seed = 1; seed <= 10; seed += 1) {
      expect({ seed, found: await runPlan(planOf(seed)) }).toEqual({ seed, found: [] });
    }
  });

  test('excuses nothing that was heard before the journal was slow, or a write after it', () => {
    const slow = [{ fromMs: 4_000, untilMs: 7_000 }];
    expect(inheritedUntilMs(3_999, slow)).toBe(3_999);
    expect(inheritedUntilMs(4_950, slow)).toBe(4_000);
    expect(inheritedUntilMs(8_500, slow)).toBe(4_000);
    expect(inheritedUntilMs(8_501, slow)).toBe(8_501);
    expect(inheritedUntilMs(4_950, [])).toBe(4_950);
  });
});
