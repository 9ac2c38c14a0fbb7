import { describe, expect, test } from '@jest/globals';
import { traced } from '../failure';
import { oneGatePlan } from '../plan/one-gate';
import type { Plan } from '../plan/plan';
import { runPlan } from '../run';

/** After the healing and the last commands: nobody else waits for anything then. */
const PROOF_MS = 13_000;
/** From the last step to the reading of the last states, where nothing else is under way. */
const READ_MS = 7_000;

/** Somebody proves the wiring, while an application asks for the state. */
const proving = (lastStepMs: number): Plan =>
  oneGatePlan([
    { atMs: PROOF_MS, do: 'prove', product: 0, watching: 'seen' },
    { atMs: lastStepMs, do: 'call', client: 0, call: { kind: 'state', product: 0, numOutput: 0 } },
  ]);

/** When the technician hears of the proof, and is through. */
async function provenMs(): Promise<number> {
  const { lines } = await traced(proving(PROOF_MS + 1));
  const heard = lines.findLast((line) => line.includes('relayctl gate-0 hears ok'));
  if (heard === undefined) throw new Error('nobody has proven the wiring');
  return Number.parseFloat(heard);
}

describe('a run', () => {
  test.each([1, 10, 30])(
    'reads the last states once a proof is reported that ended %i ms before they were to be read (I11)',
    async (ms) => {
      expect(await runPlan(proving((await provenMs()) + ms - READ_MS))).toEqual([]);
    },
  );
});
