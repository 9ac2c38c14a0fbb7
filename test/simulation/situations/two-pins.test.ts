import { describe, expect, test } from '@jest/globals';
import { ONE_GATE, oneGatePlan } from '../plan/one-gate';
import type { Plan } from '../plan/plan';
import { runPlan } from '../run';
import { keepsTheFirstOfTwo } from '../sabotage/pin-faults';

const PINS_MS = 3_000;

/** Two technicians make a PIN at the same time, and its agent is another one soon after. */
const plan = (seed: number, apartMs: number): Plan =>
  oneGatePlan(
    [
      { atMs: PINS_MS, do: 'technician', product: 0, request: { type: 'new-pin' } },
      { atMs: PINS_MS + apartMs, do: 'technician', product: 0, request: { type: 'new-pin' } },
      { atMs: PINS_MS + 500, do: 'fault', fault: { kind: 'kill', process: `agent ${ONE_GATE}`, restartMs: 100 } },
    ],
    { seed },
  );

describe('two PINs that are made within milliseconds', () => {
  test.each([0, 1, 3, 8])('%i ms apart both stand in the history, and the last one on the card', async (apartMs) => {
    for (let seed = 1; seed <= 3; seed += 1) expect(await runPlan(plan(seed, apartMs))).toEqual([]);
  });

  test('show it where the card keeps the first and the agent the second', async () => {
    expect(await runPlan(plan(1, 1), { sabotage: keepsTheFirstOfTwo() })).toContainEqual(
      expect.objectContaining({
        invariant: 'history',
        sentence: expect.stringContaining('was told that pin is done, and it is not in the file'),
      }),
    );
  });
});
