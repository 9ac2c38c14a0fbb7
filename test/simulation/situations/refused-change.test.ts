import { describe, expect, test } from '@jest/globals';
import { ONE_GATE, oneGatePlan, switchedOn } from '../plan/one-gate';
import type { Plan } from '../plan/plan';
import { runPlan } from '../run';
import { takesNothingBack } from '../sabotage/history-faults';

const ASKED_MS = 8_000;
/** By then it is refused, and the entry that takes it back is written. */
const WRITTEN_MS = 12;
/** By then the entry of the change itself stands there. */
const ENTERED_MS = 4;

/** A change that its guard refuses, for the output is on; its disk fails until the end from `afterMs` behind the request on. */
const plan = (afterMs: number): Plan => {
  const change = { mode: 'impulse' } as const;
  return oneGatePlan([
    switchedOn(2_000),
    { atMs: ASKED_MS, do: 'technician', product: 0, request: { type: 'output', numOutput: 0, change, force: false } },
    { atMs: ASKED_MS + afterMs, do: 'fault', fault: { kind: 'disk', machine: ONE_GATE, mode: 'fails', forMs: 3_900 } },
  ]);
};

describe('the checker', () => {
  test('waits for the entry that takes a refused change back, whenever the disk refuses it', async () => {
    for (let afterMs = 0; afterMs <= WRITTEN_MS; afterMs += 1) expect(await runPlan(plan(afterMs))).toEqual([]);
  });

  test('sees that it is missing where the disk had it in time', async () => {
    expect(await runPlan(plan(WRITTEN_MS), { sabotage: takesNothingBack() })).toContainEqual(
      expect.objectContaining({ invariant: 'history' }),
    );
  });

  test('takes no trouble of a disk for a reason that has refused no entry', async () => {
    expect(await runPlan(plan(ENTERED_MS), { sabotage: takesNothingBack() })).toContainEqual(
      expect.objectContaining({ sentence: expect.stringContaining('its history has impulse for outputs.0.mode') }),
    );
  });
});
