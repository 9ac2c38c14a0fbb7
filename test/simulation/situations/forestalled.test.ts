import { afterEach, describe, expect, jest, test } from '@jest/globals';
import * as powerOn from '@relaygate/device-agent/guard/power-on';
import type { OutputSettings } from '@relaygate/shared/device';
import type { Plan } from '../plan/plan';
import { runPlan } from '../run';

const MACHINE = 'gate-0';
const output = (name: string, rules: Partial<OutputSettings>): OutputSettings => ({
  name,
  mode: 'on-off',
  pulseMs: 500,
  activeLevel: 'high',
  powerOn: 'off',
  ...rules,
});
const MOTOR = { interlock: 'motor', interlockDelayMs: 0 };

afterEach(() => {
  jest.restoreAllMocks();
});

/** The output with `restore` is on, the other one of its interlock powers on, and the power goes. */
function plan(powerOns: readonly OutputSettings['powerOn'][]): Plan {
  const outputs = powerOns.map((powerOn, n) => output(`Direction ${n}`, { powerOn, ...MOTOR }));
  const numOutput = powerOns.indexOf('restore');
  return {
    seed: 1,
    products: [
      {
        outputs: [...outputs, output('Gate', {}), output('Lamp', {})],
        requireProof: false,
        hasConsole: false,
        isReset: false,
        reads: 'orders',
      },
    ],
    clients: 1,
    untilMs: 30_000,
    steps: [
      { atMs: 2_000, do: 'call', client: 0, call: { kind: 'set', product: 0, numOutput, state: 1 } },
      { atMs: 6_000, do: 'fault', fault: { kind: 'power-cut', machine: MACHINE, offMs: 500 } },
    ],
  };
}

/** Of an interlock the last one powers on. */
function reverseTurns(): void {
  const { powerOnActive } = powerOn;
  jest.spyOn(powerOn, 'powerOnActive').mockImplementation((outputs, ...known) => {
    const alone = outputs.map((other) => ({ ...other, interlock: null }));
    const wanted = powerOnActive(alone, ...known);
    return wanted.map((isWanted, n) => isWanted && !wanted.slice(n + 1).includes(true));
  });
}

describe('the checker', () => {
  test('lets the first of an interlock power on in the place of the one that was on (I8)', async () => {
    expect(await runPlan(plan(['on', 'restore']))).toEqual([]);
  });

  test('wants the one that was on back before the next of its interlock (I8)', async () => {
    expect(await runPlan(plan(['restore', 'on']))).toEqual([]);
    reverseTurns();
    expect(await runPlan(plan(['restore', 'on']))).toEqual([
      expect.objectContaining({
        invariant: 'I8',
        sentence: 'output 0 of gate-0 was confirmed on and is off after a restart',
      }),
    ]);
  });
});
