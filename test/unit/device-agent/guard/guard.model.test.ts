import { describe, expect, test } from '@jest/globals';
import { openGuard } from '@relaygate/device-agent/guard/open-guard';
import fc from 'fast-check';
import { firstViolation } from '../../../support/first-violation';
import { generatedRounds } from '../../../support/generated-rounds';
import { type GuardUnderTest, GuardWorld, type OpenGuard } from './guard-model';
import { type GuardMove, guardMoves } from './guard-moves';

const play =
  (open: OpenGuard) =>
  async (moves: GuardMove[]): Promise<void> => {
    const world = new GuardWorld(open);
    for (const move of moves) await world.make(move);
    await world.end();
  };

/** A guard that does one thing otherwise. */
function withChange(change: (guard: GuardUnderTest) => Partial<GuardUnderTest>): OpenGuard {
  return async (outputs, ports) => {
    const guard = await openGuard(outputs, ports);
    return {
      execute: (command) => guard.execute(command),
      enterEpoch: (epoch) => guard.enterEpoch(epoch),
      fatesOf: (commandIds) => guard.fatesOf(commandIds),
      ...change(guard),
    };
  };
}

const MUTANTS: [string, string, OpenGuard][] = [
  [
    'takes a repeated frame for a new command',
    'I1: a command has moved something twice',
    withChange((guard) => {
      let frames = 0;
      return {
        execute: (command) => {
          frames += 1;
          const again = frames % 2 === 0;
          return guard.execute(again ? { ...command, commandId: `${command.commandId}","started":"` } : command);
        },
      };
    }),
  ],
  [
    'forgets its journal when it is killed',
    'I1: a command has moved something twice',
    (outputs, ports) => {
      const { files, journalPath } = ports;
      const read = async (path: string): Promise<string | null> => {
        const text = await files.read(path);
        return path === journalPath && text !== null ? text.slice(0, text.indexOf('\n') + 1) : text;
      };
      const forgetful = {
        read,
        replace: (path: string, text: string) => files.replace(path, text),
        append: (path: string, text: string) => files.append(path, text),
        keepAside: (path: string) => files.keepAside(path),
        remove: (path: string) => files.remove(path),
      };
      return openGuard(outputs, { ...ports, files: forgetful });
    },
  ],
  [
    'reads a clock that is behind',
    'I2: an edge after its deadline',
    (outputs, ports) => {
      const { clock } = ports;
      const behind = { nowMs: () => clock.nowMs() - 5, after: clock.after };
      return openGuard(outputs, { ...ports, clock: behind });
    },
  ],
  [
    'times pulses by a slow clock',
    'I4: a pulse is too long',
    (outputs, ports) => {
      const { clock } = ports;
      const slow = { nowMs: clock.nowMs, after: (ms: number, run: () => void) => clock.after(ms * 1.02, run) };
      return openGuard(outputs, { ...ports, clock: slow });
    },
  ],
  [
    'halves its pulses',
    'I4: a pulse is too short',
    (outputs, ports) => {
      const { clock } = ports;
      const after = (ms: number, run: () => void) => clock.after(ms > 119 && ms <= 500 ? ms / 2 : ms, run);
      return openGuard(outputs, { ...ports, clock: { nowMs: clock.nowMs, after } });
    },
  ],
  [
    'knows no interlock',
    'I14: both outputs of an interlock are on',
    (outputs, ports) =>
      openGuard(
        outputs.map((output) => ({ ...output, interlock: null })),
        ports,
      ),
  ],
  [
    'breaks and makes without a wait',
    'I14: the other output of an interlock went off just before',
    (outputs, ports) =>
      openGuard(
        outputs.map((output) => ({ ...output, interlockDelayMs: 0 })),
        ports,
      ),
  ],
  [
    'asks no feedback input',
    'and its input does not show it',
    (outputs, ports) =>
      openGuard(
        outputs.map((output) => ({ ...output, feedbackInput: null })),
        ports,
      ),
  ],
  [
    'keeps a command of an interlock waiting for ever',
    'I6: a command is never answered',
    withChange((guard) => ({
      execute: (command) => (command.numOutput === 2 ? new Promise(() => {}) : guard.execute(command)),
    })),
  ],
  [
    'takes no notice of a new link',
    'I12: an edge of a link that is superseded',
    withChange(() => ({ enterEpoch: async (epoch) => epoch })),
  ],
  [
    'calls every command that is not through never started',
    'I1',
    withChange((guard) => ({
      fatesOf: (commandIds) => {
        const { outcomes } = guard.fatesOf(commandIds);
        const settled = outcomes.map(({ commandId }) => commandId);
        return { outcomes, notStarted: commandIds.filter((commandId) => !settled.includes(commandId)) };
      },
    })),
  ],
];

describe('a guard, killed and started again at any moment', () => {
  test('moves each command once, in time and for the link that holds, and ends every pulse (I1, I2, I4, I12)', async () => {
    await fc.assert(fc.asyncProperty(guardMoves, play(openGuard)), generatedRounds(400, 3_000));
  });

  test.each(MUTANTS)('would be caught when it %s', async (_name, violation, mutant) => {
    expect(await firstViolation(guardMoves, play(mutant), violation)).toContain(violation);
  });
});
