import { describe, expect, test } from '@jest/globals';
import { FeedbackWatch } from '@relaygate/device-agent/guard/commands/feedback-watch';
import { InterlockTurns } from '@relaygate/device-agent/guard/commands/interlock-turns';
import { switchesOff } from '@relaygate/device-agent/guard/commands/ordered-command';
import { OutputCommands } from '@relaygate/device-agent/guard/commands/output-commands';
import { StateSaves } from '@relaygate/device-agent/guard/effects/state-saves';
import { Journal } from '@relaygate/device-agent/guard/journal';
import { LimitWatch } from '@relaygate/device-agent/guard/limit-watch';
import { openGuard } from '@relaygate/device-agent/guard/open-guard';
import { RunningOutput } from '@relaygate/device-agent/guard/running-output';
import fc from 'fast-check';
import { firstViolation } from '../../../support/chance/first-violation';
import { generatedRounds } from '../../../support/chance/generated-rounds';
import type { GuardUnderTest, OpenGuard } from './guard-model';
import { type GuardMove, guardMoves, guardMovesOf } from './guard-moves';
import { GROUP } from './guard-outputs';
import { MAX_GUARD_GAMES, play, withPart } from './guard-play';

/** A guard that does one thing otherwise. */
function withChange(change: (guard: GuardUnderTest) => Partial<GuardUnderTest>): OpenGuard {
  return async (outputs, ports) => {
    const guard = await openGuard(outputs, ports);
    return {
      execute: (command) => guard.execute(command),
      enterEpoch: (entered) => guard.enterEpoch(entered),
      outcomesOf: (commandIds) => guard.outcomesOf(commandIds),
      agentIsThere: (linkIsUp) => guard.agentIsThere(linkIsUp),
      lock: (locks) => guard.lock(locks),
      configure: (changed, force) => guard.configure(changed, force),
      view: () => guard.view(),
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
        sync: (path: string) => files.sync(path),
        replace: (path: string, text: string) => files.replace(path, text),
        append: (path: string, text: string) => files.append(path, text),
        quarantine: (path: string) => files.quarantine(path),
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
    'I14: two outputs of an interlock are on',
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
    'I6: a command is answered too late',
    withChange((guard) => ({
      execute: (command) => (command.numOutput === 2 ? new Promise(() => {}) : guard.execute(command)),
    })),
  ],
  [
    'takes no notice of a new link',
    'I12: an edge of a link that is superseded',
    withChange(() => ({ enterEpoch: async ({ epoch }) => epoch })),
  ],
  [
    'calls every command that is not through never started',
    'I1: calls a command never started that has moved something',
    withChange((guard) => ({
      outcomesOf: (commandIds) => {
        const { outcomes } = guard.outcomesOf(commandIds);
        const settled = outcomes.map(({ commandId }) => commandId);
        return { outcomes, notStarted: commandIds.filter((commandId) => !settled.includes(commandId)) };
      },
    })),
  ],
];

/** A part of the guard that does one thing otherwise, in every guard of a game. */
type Change = (work: () => Promise<void>) => Promise<void>;

function withMethod<Part extends object, Name extends keyof Part & string>(
  part: Part,
  name: Name,
  other: Part[Name],
): Change {
  return (work) => {
    const isGetter = Object.getOwnPropertyDescriptor(part, name)?.get !== undefined;
    return withPart(part, name, isGetter ? { get: () => other } : { value: other }, work);
  };
}

const { stop } = RunningOutput.prototype;
const { take } = InterlockTurns.prototype;
const { load } = Journal.prototype;
const { execute } = OutputCommands.prototype;

const CHANGED_PARTS: [string, string, Change, fc.Arbitrary<GuardMove[]>?][] = [
  [
    'ends another pulse than the one that was meant',
    'I4: a pulse is too short',
    withMethod(RunningOutput.prototype, 'stop', function stopAny(this: RunningOutput, order) {
      const pulseSinceMs = this.pulseSinceMs ?? order.command.pulseSinceMs;
      return stop.call(this, { ...order, command: { action: 'stop', pulseSinceMs } });
    }),
    guardMovesOf(['command', 'stop', 'pass'], [2, 3]),
  ],
  [
    'says that a pulse has ended which runs on',
    'I3: executed, and its pulse runs on',
    withMethod(RunningOutput.prototype, 'stop', async ({ commandId }) => ({ commandId, outcome: 'executed' })),
  ],
  [
    'calls a command proven without a look',
    'and its input does not show it',
    withMethod(FeedbackWatch.prototype, 'proof', async () => null),
  ],
  [
    'believes that what was ordered off is off',
    'I14: another output of an interlock was never seen off',
    withMethod(FeedbackWatch.prototype, 'off', 'shown'),
    guardMovesOf(['command', 'feedback', 'pass'], GROUP),
  ],
  [
    'clears whoever asks first',
    'I14: two outputs of an interlock are on',
    withMethod(InterlockTurns.prototype, 'take', () => ({
      cleared: Promise.resolve(null),
      hasBroken: false,
      end: () => {},
    })),
  ],
  [
    'breaks for a command that is over',
    'I12: an output of an interlock goes off for a command that is over',
    withMethod(
      InterlockTurns.prototype,
      'take',
      function takeAnyway(this: InterlockTurns, output, group, { startBeforeMs, isBarred }) {
        const request = { startBeforeMs: startBeforeMs + 1_000, isBarred, refusal: () => null };
        const turn = take.call(this, output, group, request);
        return { ...turn, hasBroken: turn.hasBroken, end: () => void turn.cleared.then(() => turn.end()) };
      },
    ),
  ],
  [
    'says that nothing was moved when another output was',
    'and another output went off for it',
    withMethod(InterlockTurns.prototype, 'take', function takeSilently(this: InterlockTurns, output, group, request) {
      const turn = take.call(this, output, group, request);
      return { cleared: turn.cleared, hasBroken: false, end: () => turn.end() };
    }),
  ],
  ['watches no limit', 'is on for longer than its policy allows', withMethod(LimitWatch.prototype, 'watch', () => {})],
  [
    'gives an output its whole time again after a restart',
    'is on for longer than its policy allows',
    withMethod(Journal.prototype, 'load', async function loadAnew(this: Journal, mayHaveRun) {
      const loaded = await load.call(this, mayHaveRun);
      return { ...loaded, earlier: null };
    }),
    guardMovesOf(['command', 'pass', 'restart'], [4]),
  ],
  [
    'waits for a disk that hangs',
    'I6: a command is answered too late',
    withMethod(StateSaves.prototype, 'save', () => {}),
  ],
  [
    'goes on although "off" was commanded meanwhile',
    'I3: an output goes on after a later command has switched it off',
    withMethod(OutputCommands.prototype, 'execute', function answerAtOnce(this: OutputCommands, command) {
      if (!switchesOff(command)) return execute.call(this, command);
      return Promise.resolve({ commandId: command.commandId, outcome: 'already-set' });
    }),
  ],
];

describe('a guard, killed and started again at any moment', () => {
  test('moves each command once, in time and for the link that holds, and ends every pulse (I1, I2, I4, I12)', async () => {
    await fc.assert(fc.asyncProperty(guardMoves, play(openGuard)), generatedRounds(400, 3_000));
  });

  test.each(MUTANTS)('would be caught when it %s', async (_name, violation, mutant) => {
    expect(await firstViolation(guardMoves, play(mutant), violation, MAX_GUARD_GAMES)).toContain(violation);
  });

  test.each(CHANGED_PARTS)(
    'would be caught when a part of it %s',
    async (_name, violation, change, games = guardMoves) => {
      const mutant = (moves: GuardMove[]): Promise<void> => change(() => play(openGuard)(moves));
      expect(await firstViolation(games, mutant, violation, MAX_GUARD_GAMES)).toContain(violation);
    },
  );
});
