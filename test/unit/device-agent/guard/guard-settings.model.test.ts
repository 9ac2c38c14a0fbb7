/** The games of guard.model.test, with changes of settings among the moves. */
import { describe, expect, test } from '@jest/globals';
import { LimitWatch } from '@relaygate/device-agent/guard/limit-watch';
import { openGuard } from '@relaygate/device-agent/guard/open-guard';
import { OutputMachine } from '@relaygate/device-agent/guard/output-machine';
import { RunningOutput } from '@relaygate/device-agent/guard/running-output';
import type { OutputSettings } from '@relaygate/shared/device';
import fc from 'fast-check';
import { firstViolation } from '../../../support/chance/first-violation';
import { generatedRounds } from '../../../support/chance/generated-rounds';
import { type GuardMove, guardMovesOf, guardMovesWithSettings } from './guard-moves';
import { MAX_GUARD_GAMES, play, withPart } from './guard-play';

const { configure } = RunningOutput.prototype;
const { feed } = OutputMachine.prototype;

describe('a guard whose settings change, killed and started again at any moment', () => {
  test('goes by those that hold, and each pulse by those of its beginning (I4, I5, I14)', async () => {
    await fc.assert(fc.asyncProperty(guardMovesWithSettings, play(openGuard)), generatedRounds(300, 3_000));
  });

  test.each<[string, string, object, string, PropertyDescriptor, fc.Arbitrary<GuardMove[]>?]>([
    [
      'gives its pulses the length of before',
      'I4: a pulse is too long',
      RunningOutput.prototype,
      'configure',
      { value: async () => {} },
      guardMovesOf(['command', 'pass', 'configure'], [2, 3]),
    ],
    [
      'lets an output that is on stay on for longer than a new limit',
      'is on for longer than its policy allows',
      RunningOutput.prototype,
      'configure',
      {
        value(this: RunningOutput, ...settings: Parameters<typeof configure>) {
          return withPart(LimitWatch.prototype, 'watch', { value: () => {} }, () => configure.apply(this, settings));
        },
      },
    ],
    [
      'changes the mode of an output that is on',
      'settings: mode of an output that is on has changed',
      RunningOutput.prototype,
      'isIdle',
      { get: () => true },
    ],
    [
      'leaves a line at the level of its polarity of before',
      'settings: a line has its inactive level of before',
      RunningOutput.prototype,
      'configure',
      {
        value(this: RunningOutput, ...settings: Parameters<typeof configure>) {
          return withPart(RunningOutput.prototype, 'start', { value: () => {} }, () => configure.apply(this, settings));
        },
      },
      guardMovesOf(['command', 'pass', 'restart', 'polarity']),
    ],
    [
      'keeps an output in its interlock of before',
      'I14: two outputs of an interlock are on',
      RunningOutput.prototype,
      'configure',
      {
        value(this: RunningOutput, settings: OutputSettings) {
          return configure.call(this, { ...settings, interlock: this.rules.interlock });
        },
      },
      guardMovesOf(['command', 'pass', 'interlock'], [1, 4, 5]),
    ],
    [
      'brings on what only its policy of before wanted on',
      'I5: an output goes on that no policy wants on',
      OutputMachine.prototype,
      'feed',
      {
        value(this: OutputMachine, ...[event]: Parameters<typeof feed>) {
          if (event.kind !== 'unwanted') feed.call(this, event);
        },
      },
      guardMovesOf(['command', 'pass', 'restart', 'configure'], [1, 4]),
    ],
  ])('would be caught when it %s', async (_name, violation, part, name, other, games = guardMovesWithSettings) => {
    const mutant = (moves: GuardMove[]): Promise<void> => withPart(part, name, other, () => play(openGuard)(moves));
    expect(await firstViolation(games, mutant, violation, MAX_GUARD_GAMES)).toContain(violation);
  });
});
