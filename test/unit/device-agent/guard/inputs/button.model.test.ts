/** Whatever a wire does, a button moves its output once for each press that counts, in time, and else never. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { firstViolation } from '../../../../support/chance/first-violation';
import { generatedRounds } from '../../../../support/chance/generated-rounds';
import { judgeButton } from './button-judge';
import { type ButtonMove, buttonMoves } from './button-moves';
import { ButtonWorld, HONEST, type Wiring } from './button-world';

const play =
  (wiring: Wiring) =>
  async (moves: ButtonMove[]): Promise<void> => {
    const world = new ButtonWorld(wiring);
    await world.play(moves);
    judgeButton(world);
  };

const MUTANTS: [string, string, Wiring][] = [
  ['counts what is pressed at a start', ', and nobody has pressed', { ...HONEST, tellsStart: true }],
  [
    'takes the time of an edge when it is handled',
    'I2: moved at',
    { ...HONEST, edges: (edges, nowMs) => edges.map((edge) => ({ ...edge, atMs: nowMs })) },
  ],
  ['loses what comes behind a first edge', ', and nothing moves', { ...HONEST, edges: (edges) => edges.slice(0, 1) }],
];

test('each press that counts moves the output once, and nothing else does', async () => {
  const property = fc.asyncProperty(buttonMoves, play(HONEST));
  const { failed, counterexample, errorInstance } = await fc.check(property, generatedRounds(300, 20_000));
  expect([failed, JSON.stringify(counterexample), String(errorInstance)]).toEqual([false, 'null', 'null']);
});

test.each(MUTANTS)('a guard that %s is caught', async (_what, violation, wiring) => {
  expect(await firstViolation(buttonMoves, play(wiring), violation)).toContain(violation);
});
