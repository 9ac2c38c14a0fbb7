import { describe, expect, test } from '@jest/globals';
import { type CommandSlot, type SlotEffect, type SlotEvent, step } from '@relaygate/server/commands/command-slot';

const UNSENT: CommandSlot = { phase: 'unsent', recorded: false, linked: true };

function run(start: CommandSlot, events: SlotEvent[]): { slot: CommandSlot; effects: SlotEffect[] } {
  let slot = start;
  const effects: SlotEffect[] = [];
  for (const event of events) {
    const [next, out] = step(slot, event);
    slot = next;
    effects.push(...out);
  }
  return { slot, effects };
}

const answers = (effects: SlotEffect[]) => effects.flatMap((effect) => (effect.do === 'answer' ? [effect.answer] : []));
const outcomes = (effects: SlotEffect[]) =>
  effects.flatMap((effect) => (effect.do === 'resolve' ? [effect.outcome] : []));

describe('the command slot', () => {
  test('a command that needs no check goes out at once', () => {
    for (const last of [
      { kind: 'recorded', isCleared: true } as const,
      { kind: 'link-up', isCleared: true } as const,
    ]) {
      const before: SlotEvent = last.kind === 'recorded' ? { kind: 'link-up' } : { kind: 'recorded' };
      const { slot, effects } = run({ ...UNSENT, linked: false }, [before, last]);
      expect(effects).toEqual([{ do: 'send' }]);
      expect(slot.phase).toBe('sent');
    }
  });

  test('a record that becomes durable after its command was given up is closed as expired', () => {
    const { effects } = run(UNSENT, [{ kind: 'record-failed' }, { kind: 'recorded' }, { kind: 'recorded' }]);
    expect(outcomes(effects)).toEqual(['expired']);
  });

  test('a record that the database said nothing of is closed as expired, should it be there (I9)', () => {
    const { effects } = run(UNSENT, [{ kind: 'record-unanswered' }]);
    expect(answers(effects)).toEqual([{ kind: 'error', code: 'unknown', isUnrecorded: true }]);
    expect(outcomes(effects)).toEqual(['expired']);
    const late = run(UNSENT, [{ kind: 'record-failed' }, { kind: 'record-unanswered' }, { kind: 'recorded' }]);
    expect(outcomes(late.effects)).toEqual(['expired']);
  });

  test('the timer of the record means nothing once the record is durable', () => {
    const start: CommandSlot = { phase: 'unsent', recorded: true, linked: false };
    expect(run(start, [{ kind: 'record-failed' }])).toEqual({ slot: start, effects: [] });
  });

  test('a link that goes while the authorisation is read again is waited for', () => {
    const { slot } = run(UNSENT, [{ kind: 'recorded' }, { kind: 'link-lost' }, { kind: 'cleared' }]);
    expect(slot).toEqual({ phase: 'unsent', recorded: true, linked: false });
  });

  test.each([
    ['executed', { kind: 'ok' }],
    ['already-set', { kind: 'already-set' }],
    ['refused', { kind: 'error', code: 'device-timeout' }],
    ['unproven', { kind: 'error', code: 'device-timeout' }],
    ['expired', { kind: 'error', code: 'device-timeout' }],
  ] as const)('the device says %s: the client is told %j', (outcome, answer) => {
    const { effects } = run({ phase: 'sent' }, [
      { kind: 'confirmed', confirmation: { commandId: 'c', outcome, version: null } },
    ]);
    expect(answers(effects)).toEqual([answer]);
    expect(outcomes(effects)).toEqual([outcome]);
  });
});
