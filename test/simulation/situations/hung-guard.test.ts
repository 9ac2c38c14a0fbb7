import { afterEach, describe, expect, jest, test } from '@jest/globals';
import * as powerOn from '@relaygate/device-agent/guard/power-on';
import { ONE_GATE, oneGatePlan, switchedOn } from '../plan/one-gate';
import type { Plan } from '../plan/plan';
import { runPlan } from '../run';
import type { Sabotage } from '../sabotage/sabotage';

type Step = Plan['steps'][number];

const hangs = (atMs: number, forMs: number): Step => ({
  atMs,
  do: 'fault',
  fault: { kind: 'stall', process: `guard ${ONE_GATE}`, forMs, timersFirst: true },
});
const boardFails = (atMs: number, forMs: number): Step => ({
  atMs,
  do: 'fault',
  fault: { kind: 'board', machine: ONE_GATE, mode: 'fails', forMs },
});
const POWER_CUT: Step = { atMs: 4_000, do: 'fault', fault: { kind: 'power-cut', machine: ONE_GATE, offMs: 300 } };

/** What a guard is to do after so long it does later. */
const takes = (delayMs: number, tookMs: number): Sabotage => ({
  guardClock: (clock) => ({
    nowMs: () => clock.nowMs(),
    after: (ms, run) => clock.after(ms === delayMs ? tookMs : ms, run),
  }),
});

/** "On" is for power coming back. Its second guard writes its state file from 4,529.4 ms on, and four milliseconds long. */
const poweredOn = (hungFromMs: number): Plan =>
  oneGatePlan([POWER_CUT, hangs(hungFromMs, 1_200)], { rules: { powerOn: 'on' } });

/** The board does what it is told at the start, and says that it has failed; its guard hangs until 7,541 ms, and puts it off. */
const PUT_OFF = oneGatePlan([switchedOn(2_000), POWER_CUT, boardFails(4_528, 300), hangs(4_541, 3_000)]);

/** The board does not do what it is told, and its guard hangs from its second try on, until 9,000.8 ms. */
const TRIED_TWICE = oneGatePlan(
  [
    switchedOn(2_000),
    boardFails(3_900, 400),
    { atMs: 4_000, do: 'technician', product: 0, request: { type: 'set', numOutput: 0, state: 0 } },
    hangs(4_000.8, 5_000),
  ],
  { rules: { powerOn: 'off' } },
);

/** Its second guard brings it on at 4,535.5 ms, and hangs with that order in hand; it is tried again after a second. */
const WITH_ORDER = oneGatePlan([switchedOn(2_000), POWER_CUT, hangs(4_535.5, 3_000)]);

afterEach(() => {
  jest.restoreAllMocks();
});

describe('of a guard that hung, the checker', () => {
  test('lets "on" stay off where it hung over the note of its boot, and nowhere else (I5)', async () => {
    expect(await runPlan(poweredOn(4_531))).toEqual([]);
    expect(await runPlan(poweredOn(4_529.3))).toEqual([]);
    const { powerOnActive } = powerOn;
    jest
      .spyOn(powerOn, 'powerOnActive')
      .mockImplementationOnce(powerOnActive)
      .mockImplementation((outputs) => outputs.map(() => false));
    expect(await runPlan(poweredOn(4_529.3))).toContainEqual(
      expect.objectContaining({
        invariant: 'I5',
        sentence: `output 0 of ${ONE_GATE} was off when its guard was ready, and its policy is on`,
      }),
    );
  });

  test('lets it bring on after a second what its board failed at, and no later (I5)', async () => {
    expect(await runPlan(PUT_OFF)).toEqual([]);
    expect(await runPlan(PUT_OFF, { sabotage: takes(1_000, 1_500) })).toEqual([
      expect.objectContaining({ invariant: 'I5', sentence: `output 0 of ${ONE_GATE} went on without a command` }),
    ]);
  });

  test('lets it bring on after a second what it hung over, and no later: the answer seemed to be missing (I5)', async () => {
    expect(await runPlan(WITH_ORDER)).toEqual([]);
    expect(await runPlan(WITH_ORDER, { sabotage: takes(1_000, 1_500) })).toEqual([
      expect.objectContaining({ invariant: 'I5', sentence: `output 0 of ${ONE_GATE} went on without a command` }),
    ]);
  });

  test('lets it drive off at once what its board failed at when its answer was due meanwhile, and no later (I5)', async () => {
    expect(await runPlan(TRIED_TWICE)).toEqual([]);
    expect(await runPlan(TRIED_TWICE, { sabotage: takes(0, 100) })).toEqual([
      expect.objectContaining({ invariant: 'I5', sentence: `output 0 of ${ONE_GATE} went off by itself` }),
    ]);
  });
});
