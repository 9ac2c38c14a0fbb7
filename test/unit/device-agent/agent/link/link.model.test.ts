import { describe, expect, test } from '@jest/globals';
import { type Link, type LinkEffect, type LinkEvent, stepLink } from '@relaygate/device-agent/agent/link/link';
import type { TimeSync } from '@relaygate/shared';
import fc from 'fast-check';
import { firstViolation } from '../../../../support/chance/first-violation';
import { generatedRounds } from '../../../../support/chance/generated-rounds';
import { LinkWorld } from './link-model';
import { type LinkMove, linkMoves } from './link-moves';

type StepLink = typeof stepLink;
/** A fresh one each time: a mutant may remember. */
type MakeStep = () => StepLink;

const play =
  (makeStep: MakeStep) =>
  (moves: LinkMove[]): void => {
    const world = new LinkWorld(makeStep());
    for (const move of moves) world.make(move);
  };

/** A machine whose effects are changed on their way out. */
function withEffects(change: (effects: LinkEffect[], event: LinkEvent) => LinkEffect[]): MakeStep {
  return () => (link, event, name) => {
    const [next, effects] = stepLink(link, event, name);
    return [next, change(effects, event)];
  };
}

/** A machine that hears something else than what is said. */
function withEvents(change: (event: LinkEvent, link: Link) => LinkEvent): MakeStep {
  return () => (link, event, name) => stepLink(link, change(event, link), name);
}

const withoutTimer = (timer: string) =>
  withEffects((effects) => effects.filter((effect) => effect.do !== 'start-timer' || effect.timer !== timer));

const MUTANTS: [string, string, MakeStep][] = [
  [
    'gives the last command to the guard again once the link is up',
    'I1: executes what was not asked for',
    () => {
      let last: LinkEffect[] = [];
      return (link, event, name) => {
        const [next, effects] = stepLink(link, event, name);
        const again = event.kind === 'gathered' && next.stage.name === 'up' ? last : [];
        last = effects.some(isExecution) ? effects.filter(isExecution) : last;
        return [next, [...effects, ...again]];
      };
    },
  ],
  [
    'executes a command twice',
    'I1: executes what was not asked for',
    withEffects((effects) => [...effects, ...effects.filter(isExecution)]),
  ],
  [
    'executes commands of any epoch',
    'I12: executes a command of another epoch',
    () => (link, event, name) => {
      const { stage } = link;
      if (stage.name !== 'up' || event.kind !== 'message' || event.message.type !== 'command')
        return stepLink(link, event, name);
      const { epoch } = event.message;
      return stepLink({ ...link, stage: { ...stage, epoch } }, event, name);
    },
  ],
  [
    'takes the middle of an exchange for the truth',
    'I2: would start after the execution deadline',
    withEffects((effects) =>
      effects.map((effect) =>
        isExecution(effect) && effect.startBeforeMs !== null
          ? { ...effect, startBeforeMs: effect.startBeforeMs + 1.5 }
          : effect,
      ),
    ),
  ],
  [
    'keeps the time of the link before',
    'I2: would start after the execution deadline',
    () => {
      let known: TimeSync = [];
      return (link, event, name) => {
        const [next, effects] = stepLink(link, event, name);
        if (next.stage.name !== 'up') return [next, effects];
        if (event.kind === 'gathered' && known.length > 0)
          return [{ ...next, stage: { ...next.stage, time: known } }, effects];
        known = next.stage.time;
        return [next, effects];
      };
    },
  ],
  [
    'takes the answer to an older question for a time',
    'I2',
    withEvents((event, { stage }) =>
      event.kind === 'message' && event.message.type === 'time' && 'asked' in stage
        ? { ...event, message: { ...event.message, seq: stage.asked.seq } }
        : event,
    ),
  ],
  [
    'does not wait for the guard',
    'I12: speaks before the guard knows the epoch',
    () => (link, event, name) => {
      const [next, effects] = stepLink(link, event, name);
      if (next.stage.name !== 'preparing' || event.kind !== 'message') return [next, effects];
      const [later, more] = stepLink(next, { kind: 'epoch-entered', nowMs: event.nowMs }, name);
      return [later, [...effects, ...more]];
    },
  ],
  [
    'believes any server name',
    'I13: proves itself to another server than its own',
    withEvents((event) =>
      event.kind === 'message' && event.message.type === 'challenge'
        ? { ...event, message: { ...event.message, serverName: 'relaygate' } }
        : event,
    ),
  ],
  ['never tries again', 'never tries again', withoutTimer('retry')],
  ['does not notice silence', 'T9: a dead link is not noticed', withoutTimer('silence')],
  ['has no heartbeat', 'T9: the server hears nothing', withoutTimer('heartbeat')],
  [
    'calls a link of a second a success',
    'I15: the tries of a failing link do not grow apart',
    () => (link, event, name) => {
      const isUp = link.stage.name === 'up' && event.kind === 'closed';
      return stepLink(isUp ? { ...link, endedLinks: 0 } : link, event, name);
    },
  ],
  [
    'lets a link that came up wait for the outage before it',
    'I15: the tries of a failing link do not grow apart',
    () => (link, event, name) => {
      const isUp = link.stage.name === 'up' && event.kind === 'closed';
      return stepLink(isUp ? { ...link, endedLinks: link.attempt } : link, event, name);
    },
  ],
  [
    'forgets that it was replaced',
    'I12: two devices with one key would fight',
    () => (link, event, name) => stepLink({ ...link, replaced: 0 }, event, name),
  ],
];

function isExecution(effect: LinkEffect): effect is Extract<LinkEffect, { do: 'execute' }> {
  return effect.do === 'execute';
}

describe('a link, whatever server, guard and network do', () => {
  test('executes each command of its epoch once and in time, and never stays without a way on (I1, I2, I12, I14)', () => {
    fc.assert(
      fc.property(
        linkMoves,
        play(() => stepLink),
      ),
      generatedRounds(3_000, 30_000),
    );
  });

  test.each(MUTANTS)('would be caught when it %s', async (_name, violation, mutant) => {
    expect(await firstViolation(linkMoves, play(mutant), violation)).toContain(violation);
  });
});
