/** The games of guard.model.test, with maintenance locks among the moves. */
import { describe, expect, test } from '@jest/globals';
import { InterlockTurns } from '@relaygate/device-agent/guard/commands/interlock-turns';
import { OutputCommands } from '@relaygate/device-agent/guard/commands/output-commands';
import { Locks } from '@relaygate/device-agent/guard/locks';
import { openGuard } from '@relaygate/device-agent/guard/open-guard';
import fc from 'fast-check';
import { firstViolation } from '../../../support/chance/first-violation';
import { generatedRounds } from '../../../support/chance/generated-rounds';
import { type GuardMove, guardMovesOf, guardMovesWithLocks } from './guard-moves';
import { GROUP } from './guard-outputs';
import { MAX_GUARD_GAMES, play, withPart } from './guard-play';

const { waitUntilMaySwitch } = OutputCommands.prototype;
const { take } = InterlockTurns.prototype;

describe('a guard with locked outputs, killed and started again at any moment', () => {
  test('moves none of them for a remote command, also for none to another output', async () => {
    await fc.assert(fc.asyncProperty(guardMovesWithLocks, play(openGuard)), generatedRounds(300, 3_000));
  });

  test.each<[string, string, object, string, PropertyDescriptor, fc.Arbitrary<GuardMove[]>?]>([
    [
      'forgets its locks',
      'locks: a remote command moves a locked output',
      Locks.prototype,
      'replace',
      { value: () => {} },
    ],
    [
      'looks at locks only when a command begins',
      'locks: a remote command moves a locked output',
      OutputCommands.prototype,
      'waitUntilMaySwitch',
      {
        value(this: OutputCommands, active: boolean, pulseMs?: number) {
          if (this.current) Object.assign(this.current, { epoch: null });
          waitUntilMaySwitch.call(this, active, pulseMs);
        },
      },
    ],
    [
      'lets a remote command break a locked output of its interlock',
      'locks: a locked output goes off for a remote command',
      InterlockTurns.prototype,
      'take',
      {
        value(this: InterlockTurns, ...[output, group, request]: Parameters<typeof take>) {
          return take.call(this, output, group, { ...request, isBarred: () => false });
        },
      },
      guardMovesOf(['command', 'lock', 'resume', 'pass'], GROUP),
    ],
  ])('would be caught when it %s', async (_name, violation, part, name, other, games = guardMovesWithLocks) => {
    const mutant = (moves: GuardMove[]): Promise<void> => withPart(part, name, other, () => play(openGuard)(moves));
    expect(await firstViolation(games, mutant, violation, MAX_GUARD_GAMES)).toContain(violation);
  });
});
