/** The games of guard.model.test, with maintenance locks among the moves. */
import { describe, expect, test } from '@jest/globals';
import { InterlockTurns } from '@relaygate/device-agent/guard/commands/interlock-turns';
import { OutputCommands } from '@relaygate/device-agent/guard/commands/output-commands';
import { Locks } from '@relaygate/device-agent/guard/locks';
import { openGuard } from '@relaygate/device-agent/guard/open-guard';
import fc from 'fast-check';
import { firstViolation } from '../../../support/first-violation';
import { generatedRounds } from '../../../support/generated-rounds';
import { GuardWorld } from './guard-model';
import { type GuardMove, guardMovesWithLocks } from './guard-moves';

const { waitUntilMaySwitch } = OutputCommands.prototype;
const { take } = InterlockTurns.prototype;

async function play(moves: GuardMove[]): Promise<void> {
  const world = new GuardWorld(openGuard);
  for (const move of moves) await world.make(move);
  await world.end();
}

/** Plays with a part of the guard that does one thing otherwise. */
const playWith =
  (part: object, name: string, other: PropertyDescriptor) =>
  async (moves: GuardMove[]): Promise<void> => {
    const own = Object.getOwnPropertyDescriptor(part, name);
    if (!own) throw new Error(`there is no ${name}`);
    Object.defineProperty(part, name, { ...own, ...other });
    try {
      await play(moves);
    } finally {
      Object.defineProperty(part, name, own);
    }
  };

describe('a guard with locked outputs, killed and started again at any moment', () => {
  test('moves none of them for a remote command, also for none to another output', async () => {
    await fc.assert(fc.asyncProperty(guardMovesWithLocks, play), generatedRounds(300, 3_000));
  });

  test.each<[string, string, object, string, PropertyDescriptor]>([
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
    ],
  ])('would be caught when it %s', async (_name, violation, part, name, other) => {
    expect(await firstViolation(guardMovesWithLocks, playWith(part, name, other), violation)).toContain(violation);
  });
});
