import { describe, expect, test } from '@jest/globals';
import { RunningOutput } from '@relaygate/device-agent/guard/running-output';
import { ONE_GATE, oneGatePlan } from '../plan/one-gate';
import type { Plan } from '../plan/plan';
import { runPlan } from '../run';
import type { Sabotage } from '../sabotage/sabotage';

const set = (atMs: number, numOutput: number, state: 0 | 1): Plan['steps'][number] => ({
  atMs,
  do: 'call',
  client: 0,
  call: { kind: 'set', product: 0, numOutput, state },
});
const lock = (atMs: number, numOutput: number): Plan['steps'][number] => ({
  atMs,
  do: 'technician',
  product: 0,
  request: { type: 'lock', numOutput, forMs: 60_000 },
});

const MOTOR = { interlock: 'motor', interlockDelayMs: 1_000 };

/** Output 0 is on, and output 1 of its interlock, which is locked, is to go on. */
const LOCKED = oneGatePlan([set(2_000, 0, 1), lock(3_000, 1), set(4_000, 1, 1)], { rules: MOTOR });
/** The same, and the lock comes when output 0 is off for it already. */
const LOCKED_SINCE = oneGatePlan([set(2_000, 0, 1), set(4_000, 1, 1), lock(4_500, 1)], { rules: MOTOR });
/** The same of output 1 that has just gone off. */
const TOO_SOON = oneGatePlan([set(2_500, 1, 1), set(3_500, 1, 0), set(4_000, 0, 1), set(4_800, 1, 1)], {
  rules: { ...MOTOR, minSwitchIntervalMs: 1_500 },
});
/** Output 0, which is locked, waits for its turn to power on, its relay still closed, and is to go off. */
const LOCKED_IN_TURN = oneGatePlan(
  [
    set(2_000, 0, 1),
    lock(3_000, 0),
    { atMs: 4_000, do: 'fault', fault: { kind: 'kill', process: `guard ${ONE_GATE}`, restartMs: 300 } },
    set(4_900, 0, 0),
  ],
  { rules: { ...MOTOR, interlockDelayMs: 2_000 } },
);

/** At the `nth` command a guard puts output 0 off before it looks whether that may move anything. */
function movesFirst(nth: number, putOff: (first: RunningOutput) => void): Sabotage {
  return {
    inside() {
      const { prototype } = RunningOutput;
      const { execute, start } = prototype;
      let commands = 0;
      let first: RunningOutput | null = null;
      prototype.start = function (...given) {
        if (this.numOutput === 0) first = this;
        return start.apply(this, given);
      };
      prototype.execute = async function (given) {
        commands += 1;
        // A guard that starts anew has another one, which may wait for its turn.
        if (this.numOutput === 0) first = this;
        if (commands === nth && first) {
          putOff(first);
          await first.settled();
        }
        return execute.call(this, given);
      };
      return () => Object.assign(prototype, { execute, start });
    },
  };
}

const WENT_OFF = expect.objectContaining({
  invariant: 'I5',
  sentence: `output 0 of ${ONE_GATE} went off by itself`,
});

describe('the checker', () => {
  test.each<[string, Plan, number]>([
    ['locked', LOCKED, 2],
    ['switched too soon', TOO_SOON, 4],
  ])('lets nothing go off for another one of its interlock that is refused as %s (I5)', async (_why, plan, nth) => {
    expect(await runPlan(plan)).toEqual([]);
    expect(await runPlan(plan, { sabotage: movesFirst(nth, (first) => first.breakOff()) })).toContainEqual(WENT_OFF);
  });

  test('lets an output go off for another one of its interlock that was locked only after that', async () => {
    expect(await runPlan(LOCKED_SINCE)).toEqual([]);
  });

  test('lets nothing go off in its turn to power on for an "off" that is refused as locked (I5)', async () => {
    expect(await runPlan(LOCKED_IN_TURN)).toEqual([]);
    const sabotage = movesFirst(2, (first) => void first.start(false));
    expect(await runPlan(LOCKED_IN_TURN, { sabotage })).toContainEqual(WENT_OFF);
  });
});
