import { describe, expect, test } from '@jest/globals';
import type { OutputSettings } from '@relaygate/shared';
import type { Plan } from './plan';
import { runPlan } from './run';

const MACHINE = 'gate-0';
const output = (name: string): OutputSettings => ({
  name,
  mode: 'on-off',
  pulseMs: 500,
  activeLevel: 'high',
  powerOn: 'restore',
});

/** Output 0 is on and its guard starts anew; its board fails until a moment before that guard dies too. */
const PLAN: Plan = {
  seed: 1,
  products: [{ outputs: ['Barn', 'Yard', 'Gate', 'Lamp'].map(output), requireProof: false }],
  clients: 1,
  untilMs: 12_000,
  steps: [
    { atMs: 2_000, do: 'call', client: 0, call: { kind: 'set', product: 0, numOutput: 0, state: 1 } },
    { atMs: 3_900, do: 'fault', fault: { kind: 'board', machine: MACHINE, mode: 'fails', forMs: 3_000 } },
    { atMs: 4_000, do: 'fault', fault: { kind: 'kill', process: `guard ${MACHINE}`, restartMs: 300 } },
    // Put off by then, and to be tried again a second after that.
    { atMs: 7_500, do: 'fault', fault: { kind: 'kill', process: `guard ${MACHINE}`, restartMs: 2_000 } },
    { atMs: 7_600, do: 'fault', fault: { kind: 'power-cut', machine: MACHINE, offMs: 500 } },
  ],
};

describe('the checker', () => {
  test('lets a start restore what its board did not bring on at the start before: it was never told to be off (I5)', async () => {
    expect(await runPlan(PLAN)).toEqual([]);
  });
});
