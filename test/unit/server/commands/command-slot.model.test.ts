import { describe, expect, test } from '@jest/globals';
import { type CommandSlot, type SlotEffect, type SlotEvent, step } from '@relaygate/server/commands/command-slot';
import fc from 'fast-check';
import { firstViolation } from '../../../support/chance/first-violation';
import { generatedRounds } from '../../../support/chance/generated-rounds';
import { SlotWorld } from './command-slot-model';
import { type Presence, presences, type SlotMove, slotMoves } from './command-slot-moves';

type Step = typeof step;

const games = fc.tuple(presences, slotMoves);

const play =
  (logic: Step) =>
  ([presence, moves]: [Presence, SlotMove[]]): void => {
    const world = new SlotWorld(logic, presence);
    for (const move of moves) world.make(move);
    world.end();
  };

/** A machine whose effects are changed on their way out. */
const withEffects =
  (change: (effects: SlotEffect[], event: SlotEvent, before: CommandSlot) => SlotEffect[]): Step =>
  (slot, event) => {
    const [next, effects] = step(slot, event);
    return [next, change(effects, event, slot)];
  };

const isAnswer = (effect: SlotEffect): boolean => effect.do === 'answer';

const MUTANTS: [string, string, Step][] = [
  [
    'does not wait for its record',
    'I9: sent before its record is durable',
    (slot, event) => step(slot.phase === 'unsent' ? { ...slot, recorded: true } : slot, event),
  ],
  [
    'sends again once the link is up',
    'I1: sent twice',
    withEffects((effects, event, { phase }) =>
      event.kind === 'link-up' && phase === 'sent' ? [...effects, { do: 'send' }] : effects,
    ),
  ],
  [
    'sends what it was told not to',
    'I2: sent after its answer',
    withEffects((effects, event) => (event.kind === 'denied' ? [...effects, { do: 'send' }] : effects)),
  ],
  [
    'does not ask again what the client may do',
    'I13: sent on an authorisation that is no longer fresh',
    (slot, event) => {
      const [next, effects] = step(slot, event);
      return next.phase === 'checking' ? step(next, { kind: 'cleared' }) : [next, effects];
    },
  ],
  [
    'takes what it was once cleared to do for allowed for ever',
    'I13: sent on an authorisation that is no longer fresh',
    (slot, event) => {
      const [next, effects] = step(slot, event);
      const isCleared = event.kind === 'cleared' || ('isCleared' in event && event.isCleared);
      const wasCleared = isCleared || 'wasCleared' in slot;
      if (wasCleared && next.phase === 'checking') return step(next, { kind: 'cleared' });
      return [wasCleared ? { ...next, ...{ wasCleared } } : next, effects];
    },
  ],
  ['answers twice', 'I6: answered twice', withEffects((effects) => [...effects, ...effects.filter(isAnswer)])],
  [
    'forgets to free the slot',
    'I6: the slot is never free again',
    withEffects((effects, event) =>
      event.kind === 'response-deadline' ? effects.filter((effect) => !isAnswer(effect)) : effects,
    ),
  ],
  [
    'does not hear its execution deadline',
    'I6: the slot is never free again',
    (slot, event) => (event.kind === 'execution-deadline' ? [slot, []] : step(slot, event)),
  ],
  [
    'says 200 at its deadline',
    'I3: 200, and the device did not execute it',
    withEffects((effects, event) =>
      event.kind === 'response-deadline'
        ? effects.map((effect) => (effect.do === 'answer' ? { do: 'answer', answer: { kind: 'ok' } } : effect))
        : effects,
    ),
  ],
  [
    'says 500 though it was sent',
    'unknown, and the command may be executed',
    withEffects((effects, _event, { phase }) =>
      effects.map((effect) =>
        effect.do === 'answer' && phase === 'sent'
          ? { do: 'answer', answer: { kind: 'error', code: 'unknown' } }
          : effect,
      ),
    ),
  ],
  [
    'waits for a revoked device',
    'I13: waits for a revoked device',
    (slot, event) => (event.kind === 'device-revoked' ? [slot, []] : step(slot, event)),
  ],
  [
    'leaves the audit pending',
    'I9: the audit says pending for ever',
    withEffects((effects, event) =>
      event.kind === 'recorded' ? effects.filter((effect) => effect.do !== 'resolve') : effects,
    ),
  ],
  [
    'forgets a record that it has no answer about',
    'I9: the audit says pending for ever',
    (slot, event) => step(slot, event.kind === 'record-unanswered' ? { kind: 'record-failed' } : event),
  ],
  [
    'calls a silent device expired',
    'I9: expired, though it may be executed',
    withEffects((effects) =>
      effects.map((effect) =>
        effect.do === 'resolve' && effect.outcome === 'unknown' ? { ...effect, outcome: 'expired' } : effect,
      ),
    ),
  ],
  [
    'does not hear its device',
    'I3: the device has spoken, and nobody is told',
    (slot, event) => (event.kind === 'confirmed' ? [slot, []] : step(slot, event)),
  ],
  [
    'says already-set of what was executed',
    'I3: already-set, and it was not',
    withEffects((effects) =>
      effects.map((effect) =>
        effect.do === 'answer' && effect.answer.kind === 'ok'
          ? { do: 'answer', answer: { kind: 'already-set' } }
          : effect,
      ),
    ),
  ],
  [
    'writes an outcome of what was not recorded',
    'I9: an outcome for a record that is not there',
    withEffects((effects, event) =>
      event.kind === 'record-failed' ? [...effects, { do: 'resolve', outcome: 'expired', reason: null }] : effects,
    ),
  ],
  [
    'writes each outcome twice',
    'I9: two outcomes',
    withEffects((effects) => [...effects, ...effects.filter((effect) => effect.do === 'resolve')]),
  ],
  [
    'records a refusal of what was executed',
    'I9: the audit says something else than the device',
    withEffects((effects) =>
      effects.map((effect) =>
        effect.do === 'resolve' && effect.outcome === 'executed' ? { ...effect, outcome: 'refused' } : effect,
      ),
    ),
  ],
  [
    'calls unknown what it never sent',
    'I9: unknown, though it never left',
    withEffects((effects) =>
      effects.map((effect) =>
        effect.do === 'resolve' && effect.outcome === 'expired' ? { ...effect, outcome: 'unknown' } : effect,
      ),
    ),
  ],
];

describe('the command slot, whatever database, link and device do', () => {
  test('sends at most once, answers once and in time, and tells the truth (I1, I2, I3, I6, I9, I13)', () => {
    fc.assert(fc.property(games, play(step)), generatedRounds(5_000, 100_000));
  });

  test.each(MUTANTS)('would be caught when it %s', async (_name, violation, mutant) => {
    expect(await firstViolation(games, play(mutant), violation)).toContain(violation);
  });
});
