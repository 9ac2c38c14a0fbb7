import { describe, expect, test } from '@jest/globals';
import { ONE_GATE, oneGatePlan } from './one-gate';
import type { Plan } from './plan';
import { runPlan } from './run';
import { asksNoLines } from './sabotage/line-faults';

const asked = (atMs: number, state: 0 | 1): Plan['steps'][number] => ({
  atMs,
  do: 'technician',
  product: 0,
  request: { type: 'set', numOutput: 0, state },
});

/** A technician switches output 0 on; its relay loses its supply, at a board that tells so; and it is to be on once more. */
const { products, ...rest } = oneGatePlan([
  asked(2_000, 1),
  { atMs: 3_000, do: 'fault', fault: { kind: 'relay-drops', machine: ONE_GATE, output: 0 } },
  asked(3_500, 1),
]);
const PLAN: Plan = { ...rest, products: products.map((product) => ({ ...product, reads: 'lines' as const })) };

describe('the checker', () => {
  test('takes no guard’s word for it that it has done what a technician asks (I3)', async () => {
    expect(await runPlan(PLAN)).toEqual([]);
    expect(await runPlan(PLAN, { sabotage: asksNoLines() })).toContainEqual(
      expect.objectContaining({
        invariant: 'I3',
        sentence: expect.stringContaining(`${ONE_GATE} said already-set, and its relay was not so (local-`),
      }),
    );
  });
});
