/** The games of output.model.test, with changes of the power-on policy among the moves. */
import { describe, expect, test } from '@jest/globals';
import type { Output } from '@relaygate/device-agent/guard/output-types';
import fc from 'fast-check';
import { firstViolation } from '../../../support/chance/first-violation';
import { generatedRounds } from '../../../support/chance/generated-rounds';
import type { GameRules } from './output-judge';
import { type OutputLogic, REAL } from './output-logic';
import { OutputWorld } from './output-model';
import { type OutputMove, outputMovesWithPolicies, outputRules } from './output-moves';

const games = fc.tuple(outputRules, outputMovesWithPolicies);

const play =
  (logic: OutputLogic) =>
  ([rules, moves]: [GameRules, OutputMove[]]): void => {
    const world = new OutputWorld(logic, rules);
    for (const move of moves) world.make(move);
  };

/** A machine that takes no notice of another policy while it is like this. */
const deafWhile = (isDeaf: (output: Output) => boolean): OutputLogic => ({
  ...REAL,
  step: (output, event, rules) =>
    event.kind === 'unwanted' && isDeaf(output) ? [output, []] : REAL.step(output, event, rules),
});

const isToBeTriedAgain = (output: Output): boolean => output.phase === 'waiting' && output.until === 'next-try';

const MUTANTS: [string, OutputLogic][] = [
  [
    'goes on when its board is back',
    deafWhile((output) => output.phase === 'waiting' && output.until === 'board-back'),
  ],
  ['is tried again', deafWhile((output) => ['stuck', 'releasing'].includes(output.phase) || isToBeTriedAgain(output))],
  ['is tried again, for its order was out', deafWhile(({ phase }) => phase === 'switching')],
];

describe('an output whose power-on policy becomes another', () => {
  test('goes on by the new one alone (I5, I8)', () => {
    fc.assert(fc.property(games, play(REAL)), generatedRounds(3_000, 40_000));
  });

  test.each(MUTANTS)('would be caught when by the old one it %s', async (_name, mutant) => {
    const violation = 'I5: a board that comes back switches on what must stay off';
    expect(await firstViolation(games, play(mutant), violation)).toContain(violation);
  });
});
