import { describe, expect, test } from '@jest/globals';
import { noHeartbeat } from '@relaygate/device-agent/guard/heartbeat';
import { offAt, onSinceMs } from '@relaygate/device-agent/guard/on-limit';
import { step } from '@relaygate/device-agent/guard/output';
import { isSettled, isTurningOn, pulseSinceOf, stateOf } from '@relaygate/device-agent/guard/output-phase';
import type { Output, OutputEffect, OutputEvent } from '@relaygate/device-agent/guard/output-types';
import { powerOnActive } from '@relaygate/device-agent/guard/power-on';
import fc from 'fast-check';
import { firstViolation } from '../../../support/chance/first-violation';
import { generatedRounds } from '../../../support/chance/generated-rounds';
import type { GameRules } from './output-judge';
import { type OutputLogic, REAL } from './output-logic';
import { OutputWorld } from './output-model';
import { type OutputMove, outputMoves, outputRules } from './output-moves';

const games = fc.tuple(outputRules, outputMoves);

const play =
  (logic: OutputLogic) =>
  ([rules, moves]: [GameRules, OutputMove[]]): void => {
    const world = new OutputWorld(logic, rules);
    for (const move of moves) world.make(move);
  };

/** A machine whose effects are changed on their way out. */
function withEffects(
  change: (effects: OutputEffect[], event: OutputEvent, before: Output) => OutputEffect[],
): OutputLogic {
  const changed: typeof step = (output, event, rules) => {
    const [next, effects] = step(output, event, rules);
    return [next, change(effects, event, output)];
  };
  return { ...REAL, step: changed };
}

/** A board that always says what the guard believes. */
function seenAsCommanded(output: Output, event: OutputEvent): OutputEvent {
  return event.kind === 'seen' && output.phase === 'looking' ? { ...event, active: output.active } : event;
}

function withoutFound(output: Output): Output {
  if (!('isOnUncommanded' in output)) return output;
  const { isOnUncommanded: _isOnUncommanded, ...commanded } = output;
  return commanded;
}

const isAnswer = (effect: OutputEffect): boolean => effect.do === 'settle';
const without = (kind: OutputEffect['do']) => withEffects((effects) => effects.filter((effect) => effect.do !== kind));

/** A machine that waits longer by this than it wants to. */
const withWaits = (moreMs: number): OutputLogic =>
  withEffects((effects) =>
    effects.map((effect) => (effect.do === 'wait' ? { ...effect, delayMs: effect.delayMs + moreMs } : effect)),
  );

/** Another word on what is to be on when the board is back. */
function whenLost(isWanted: (wasOn: boolean) => boolean): OutputLogic {
  const changed: typeof step = (output, event, rules) => {
    const [next, effects] = step(output, event, rules);
    if (event.kind !== 'board-lost' || next.phase !== 'waiting') return [next, effects];
    return [{ ...next, active: isWanted(stateOf(output) === 1) }, effects];
  };
  return { ...REAL, step: changed };
}

const MUTANTS: [string, string, OutputLogic][] = [
  [
    'times a pulse from the answer',
    'I4: the pulse will be too long',
    withEffects((effects) =>
      effects.map((effect) => (effect.do === 'wait' ? { do: 'wait', delayMs: effect.delayMs } : effect)),
    ),
  ],
  [
    'ends a pulse early',
    'I4: the pulse is cut short',
    withEffects((effects) =>
      effects.map((effect) => (effect.do === 'wait' ? { ...effect, delayMs: effect.delayMs * 0.9 } : effect)),
    ),
  ],
  ['ends a pulse 10 ms late', 'I4: the pulse will be too long', withWaits(10)],
  ['ends a pulse 10 ms early', 'I4: the pulse is cut short', withWaits(-10)],
  ['never waits', 'I4: the pulse will be too long', without('wait')],
  [
    'drives a failed command once more',
    'I1: one command drives twice',
    withEffects((effects, event, { phase }) =>
      event.kind === 'drive-failed' && phase === 'starting-pulse'
        ? [{ do: 'drive', active: true, command: true }, ...effects]
        : effects,
    ),
  ],
  [
    'answers before "on" is saved',
    'would undo it',
    withEffects((effects, event) =>
      event.kind === 'driven' && effects.some((effect) => effect.do === 'save')
        ? [...effects, { do: 'settle', outcome: 'executed' }]
        : effects,
    ),
  ],
  [
    'answers twice',
    'I10: an answer for which no command waits',
    withEffects((effects) => effects.flatMap((effect) => (isAnswer(effect) ? [effect, effect] : [effect]))),
  ],
  ['never answers', 'I6: a command is through', without('settle')],
  [
    'says executed when the board failed',
    'I3: executed, and the relay is elsewhere',
    withEffects((effects) =>
      effects.map((effect) => (effect.do === 'settle' ? { do: 'settle', outcome: 'executed' } : effect)),
    ),
  ],
  [
    'forgets what is to be restored for a command that expires',
    'I8: a command that moved nothing ends what was to be restored',
    {
      ...REAL,
      step: (output, event, rules) => {
        const [next, effects] = step(output, event, rules);
        const isLost = event.kind === 'not-driven' && next.phase === 'waiting';
        return isLost ? [{ phase: 'inactive' }, effects.filter(({ do: what }) => what !== 'wait')] : [next, effects];
      },
    },
  ],
  [
    'says already-set of a relay that has lost its supply',
    'I3: already-set, and the relay is elsewhere',
    {
      ...REAL,
      step: (output, event, rules) => step(output, seenAsCommanded(output, event), rules),
    },
  ],
  [
    'takes a relay that it found on for one that is to be on',
    'I5: "on" is saved of a relay that was only found so',
    {
      ...REAL,
      step: (output, event, rules) => step(withoutFound(output), event, rules),
    },
  ],
  [
    'drives off before that is saved',
    'I5: "off" leaves before it is saved',
    {
      ...REAL,
      step: (output, event, rules) =>
        step(output, event, event.kind === 'command' ? { ...rules, powerOn: 'off' } : rules),
    },
  ],
  [
    'forgets to take "off" back',
    'I8',
    withEffects((effects, event) =>
      event.kind === 'not-driven' ? effects.filter((effect) => effect.do !== 'save') : effects,
    ),
  ],
  [
    'makes a pulse longer that no command may',
    'I4: a command makes a pulse longer',
    { ...REAL, step: (output, event, rules) => step(output, event, { ...rules, retrigger: 'extend' }) },
  ],
  [
    'starts no pulse anew',
    'I3: executed, and no pulse has begun',
    { ...REAL, step: (output, event, rules) => step(output, event, { ...rules, retrigger: 'ignore' }) },
  ],
  [
    'forgets the old end of a pulse that is to be longer',
    'I4: the pulse will be too long',
    withEffects((effects, event) => (event.kind === 'command' ? [{ do: 'stop-waiting' }, ...effects] : effects)),
  ],
  [
    'lets a pulse run on at its old end, whether the board was told or not',
    'I4: the pulse will be too long',
    {
      ...REAL,
      step: (output, event, rules) =>
        output.phase === 'extending' && event.kind === 'due' ? [output, []] : step(output, event, rules),
    },
  ],
  [
    'ends whatever pulse runs',
    'I4: a stop ends another pulse',
    {
      ...REAL,
      step: (output, event, rules) =>
        step(output, event.kind === 'stop' ? { ...event, sinceMs: pulseSinceOf(output) ?? 0 } : event, rules),
    },
  ],
  [
    'gives a pulse that is made longer another name',
    'I3: a stop ends nothing',
    {
      ...REAL,
      step: (output, event, rules) =>
        step(
          output.phase === 'extending' && event.kind === 'driven' ? { ...output, sinceMs: event.atMs } : output,
          event,
          rules,
        ),
    },
  ],
  [
    'ends no pulse that a command makes longer',
    'I3: a stop ends nothing',
    {
      ...REAL,
      step: (output, event, rules) =>
        output.phase === 'extending' && event.kind === 'stop' ? [output, []] : step(output, event, rules),
    },
  ],
  [
    'knows no maxOnMs',
    'I4: on for longer than a policy allows',
    { ...REAL, offAt: () => ({ atMs: Number.POSITIVE_INFINITY, why: 'max-on' }) },
  ],
  [
    'ends an output 10 ms after maxOnMs',
    'I4: on for longer than a policy allows',
    { ...REAL, offAt: (...given) => ({ why: 'max-on', atMs: offAt(...given).atMs + 10 }) },
  ],
  [
    'switches off a moment before maxOnMs',
    'I3: an output goes off that may stay on',
    { ...REAL, offAt: (...given) => ({ why: 'max-on', atMs: offAt(...given).atMs - 1 }) },
  ],
  [
    'lets an output be on until a command that has not left switches it off',
    'I4: on for longer than a policy allows',
    {
      ...REAL,
      step: (output, event, rules) =>
        event.kind === 'limit' && output.phase === 'switching' ? [output, []] : step(output, event, rules),
    },
  ],
  [
    'brings an output back for another maxOnMs',
    'I14: brought back',
    {
      ...REAL,
      powerOnActive: (outputs, ...more) =>
        powerOnActive(
          outputs.map((output) => ({ ...output, maxOnMs: 0, onLinkLoss: 'hold', onAgentLoss: 'hold' })),
          ...more,
        ),
    },
  ],
  [
    'knows no minSwitchIntervalMs',
    'I14: on again sooner than minSwitchIntervalMs',
    { ...REAL, step: (output, event, rules) => step(output, event, { ...rules, minSwitchIntervalMs: 0 }) },
  ],
  [
    'counts minSwitchIntervalMs 10 ms short',
    'I14: on again sooner than minSwitchIntervalMs',
    {
      ...REAL,
      step: (output, event, rules) =>
        step(output, event.kind === 'command' ? { ...event, sinceEdgeMs: event.sinceEdgeMs + 10 } : event, rules),
    },
  ],
  [
    'keeps an output on for minSwitchIntervalMs',
    'I3: switching off is refused',
    {
      ...REAL,
      step: (output, event, rules) =>
        event.kind === 'command' && output.phase === 'active' && event.sinceEdgeMs < rules.minSwitchIntervalMs
          ? [output, [{ do: 'settle', outcome: 'refused', reason: 'switched-too-soon' }]]
          : step(output, event, rules),
    },
  ],
  [
    'does not miss the link',
    'I4: on for longer than a policy allows',
    { ...REAL, offAt: (rules, ...more) => offAt({ ...rules, onLinkLoss: 'hold' }, ...more) },
  ],
  [
    'does not miss the agent',
    'I4: on for longer than a policy allows',
    { ...REAL, offAt: (rules, ...more) => offAt({ ...rules, onAgentLoss: 'hold' }, ...more) },
  ],
  [
    'takes an agent without a link for a link',
    'I4: on for longer than a policy allows',
    {
      ...REAL,
      offAt: (rules, sinceMs, heartbeat) => offAt(rules, sinceMs, { ...heartbeat, linkMs: heartbeat.agentMs }),
    },
  ],
  [
    'hears no sign of life',
    'I3: an output goes off that may stay on',
    { ...REAL, offAt: (rules, sinceMs) => offAt(rules, sinceMs, noHeartbeat(0)) },
  ],
  [
    'restores an impulse',
    'I5: an impulse output starts active',
    {
      ...REAL,
      powerOnActive: (outputs, ...more) =>
        powerOnActive(
          outputs.map((output) => ({ ...output, mode: 'on-off' })),
          ...more,
        ),
    },
  ],
  [
    'goes on with a pulse when its board is back',
    'I5: a board that comes back switches on what must stay off',
    whenLost((wasOn) => wasOn),
  ],
  ['restores nothing when its board is back', 'I8: a board that was away undid', whenLost(() => false)],
  [
    'lets no policy end what waits for its board',
    'I4: a board that comes back switches on what a policy has ended',
    {
      ...REAL,
      step: (output, event, rules) =>
        event.kind === 'limit' && output.phase === 'waiting' ? [output, []] : step(output, event, rules),
    },
  ],
  [
    'begins to count once what a start wants on is on',
    'I4: a board that comes back switches on what a policy has ended',
    {
      ...REAL,
      onSinceMs: (sinceMs, output, ...more) => (isTurningOn(output) ? sinceMs : onSinceMs(sinceMs, output, ...more)),
    },
  ],
  [
    'confirms what a board that is away cannot do',
    'I3: something is confirmed, and the board is away',
    {
      ...REAL,
      step: (output, event, rules) =>
        event.kind === 'command' && output.phase === 'waiting'
          ? [output, [{ do: 'settle', outcome: 'executed' }]]
          : step(output, event, rules),
    },
  ],
  [
    'tries a relay that stays on 10 ms late',
    'I4: a relay that stays on is not tried again',
    withEffects((effects, event, { phase }) =>
      effects.map((effect) =>
        effect.do === 'wait' && event.kind === 'drive-failed' && phase === 'releasing'
          ? { ...effect, delayMs: effect.delayMs + 10 }
          : effect,
      ),
    ),
  ],
  ['never tries a relay that stays on again', 'I4: a relay that stays on is not tried again', without('wait')],
  [
    'begins the next command while its board ends a pulse',
    'I6: the next command may begin, and the board is still at work',
    { ...REAL, isSettled: (output) => output.phase === 'releasing' || isSettled(output) },
  ],
  [
    'lets no command begin while a pulse runs',
    'I6: nothing will ever end what is under way',
    { ...REAL, isSettled: (output) => output.phase !== 'pulsing' && isSettled(output) },
  ],
  [
    'tells nobody where its relay is',
    'I11: nobody is told where the relay is',
    { ...REAL, stateOf: (output) => (output.phase === 'active' ? null : stateOf(output)) },
  ],
  [
    'tells a state while its board is away',
    'I11: a state is told, and the board is away',
    { ...REAL, stateOf: (output) => (output.phase === 'waiting' ? 0 : stateOf(output)) },
  ],
  [
    'calls a pulse that runs off',
    'I11: the state is not where the relay is',
    { ...REAL, stateOf: (output) => (output.phase === 'pulsing' ? 0 : stateOf(output)) },
  ],
  ['forgets what its start wanted on', 'I8: a board that was away undid', { ...REAL, isTurningOn: () => false }],
  [
    'switches on at every start',
    'I5: power-on on starts active where it must not',
    {
      ...REAL,
      powerOnActive: (outputs, remembered, _earlier, nowMs) => powerOnActive(outputs, remembered, null, nowMs),
    },
  ],
];

describe('an output, whatever happens to it', () => {
  test('moves once a command, ends its pulses in time and tells the truth (I1, I3, I4, I5, I8)', () => {
    fc.assert(fc.property(games, play(REAL)), generatedRounds(3_000, 40_000));
  });

  test.each(MUTANTS)('would be caught when it %s', async (_name, violation, mutant) => {
    expect(await firstViolation(games, play(mutant), violation)).toContain(violation);
  });
});
