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
function dropped(atMs: number): Plan {
  const drop: Plan['steps'][number] = {
    atMs,
    do: 'fault',
    fault: { kind: 'relay-drops', machine: ONE_GATE, output: 0 },
  };
  const { products, ...rest } = oneGatePlan([asked(2_000, 1), drop, asked(3_500, 1)]);
  return { ...rest, products: products.map((product) => ({ ...product, reads: 'lines' as const })) };
}

/** The board goes while its guard has the second command in hand, and the relay falls in the very moment of the answer. */
const FALLEN = oneGatePlan([
  asked(2_000, 1),
  {
    atMs: 3_000,
    do: 'fault',
    fault: { kind: 'board-away', machine: ONE_GATE, points: 3, forMs: 500, relays: 'fall', tells: true },
  },
  asked(3_500, 1),
]);

describe('the checker', () => {
  test.each([3_000, 3_499])(
    'takes no guard’s word for what a technician asks, of a relay off since %i (I3)',
    async (ms) => {
      expect(await runPlan(dropped(ms))).toEqual([]);
      expect(await runPlan(dropped(ms), { sabotage: asksNoLines() })).toContainEqual(
        expect.objectContaining({
          invariant: 'I3',
          sentence: expect.stringContaining(`${ONE_GATE} said already-set, and its relay was not so (local-`),
        }),
      );
    },
  );

  test('finds a relay as its guard says it is that falls in the very moment in which it says so', async () => {
    expect(await runPlan(FALLEN)).toEqual([]);
  });

  test('judges a guard that hung by what was so when it began to: it hears of the command before the board that has gone', async () => {
    const hung: Plan['steps'][number][] = [
      {
        atMs: 3_000,
        do: 'fault',
        fault: { kind: 'stall', process: `guard ${ONE_GATE}`, forMs: 1_500, timersFirst: true },
      },
      {
        atMs: 3_600,
        do: 'fault',
        fault: { kind: 'board-away', machine: ONE_GATE, points: 0, forMs: 500, relays: 'fall', tells: false },
      },
    ];
    expect(
      await runPlan(oneGatePlan([asked(2_000, 1), ...hung, asked(3_500, 1)].toSorted((a, b) => a.atMs - b.atMs))),
    ).toEqual([]);
  });
});
