import { describe, expect, test } from '@jest/globals';
import { ONE_GATE, oneGatePlan, switchedOn } from './one-gate';
import type { Plan } from './plan';
import { runPlan } from './run';

/** Output 0 is on and its guard starts anew; its board fails until a moment before that guard dies too. */
const PLAN = oneGatePlan([
  switchedOn(2_000),
  { atMs: 3_900, do: 'fault', fault: { kind: 'board', machine: ONE_GATE, mode: 'fails', forMs: 3_000 } },
  { atMs: 4_000, do: 'fault', fault: { kind: 'kill', process: `guard ${ONE_GATE}`, restartMs: 300 } },
  // Put off by then, and to be tried again a second after that.
  { atMs: 7_500, do: 'fault', fault: { kind: 'kill', process: `guard ${ONE_GATE}`, restartMs: 2_000 } },
  { atMs: 7_600, do: 'fault', fault: { kind: 'power-cut', machine: ONE_GATE, offMs: 500 } },
]);

/** The same of its board, which is back while it fails; the power goes before that guard has tried it again. */
const BACK: Plan['steps'] = [
  switchedOn(2_000),
  {
    atMs: 4_000,
    do: 'fault',
    fault: { kind: 'board-away', machine: ONE_GATE, points: 0, forMs: 1_000, relays: 'stay', tells: true },
  },
  { atMs: 4_500, do: 'fault', fault: { kind: 'board', machine: ONE_GATE, mode: 'fails', forMs: 2_500 } },
  { atMs: 7_500, do: 'fault', fault: { kind: 'power-cut', machine: ONE_GATE, offMs: 500 } },
];

describe('the checker', () => {
  test('lets a start restore what its board did not bring on at the start before: it was never told to be off (I5)', async () => {
    expect(await runPlan(PLAN)).toEqual([]);
  });

  test('lets a start restore what its board did not bring on when it was back (I5)', async () => {
    expect(await runPlan(oneGatePlan(BACK))).toEqual([]);
    // Its turn does not come: nobody knows whether the others are off.
    expect(await runPlan(oneGatePlan(BACK, { rules: { interlock: 'motor', interlockDelayMs: 0 } }))).toEqual([]);
  });
});
