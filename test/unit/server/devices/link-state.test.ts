import { describe, expect, test } from '@jest/globals';
import {
  FIRST_STATE,
  type LinkEffect,
  type LinkEvent,
  type LinkState,
  step,
} from '@relaygate/server/devices/link-state';
import { CLOSE, type DeviceMessage } from '@relaygate/shared';
import fc from 'fast-check';
import { generatedRounds } from '../../../support/chance/generated-rounds';

const HELLO = { type: 'hello', productLogin: 'gate', bootId: 'b' } as Extract<DeviceMessage, { type: 'hello' }>;
const OPENED: LinkEvent = {
  kind: 'opened',
  opened: { held: { epoch: 7, publicKey: 'k', bootId: 'b', agentVersion: '1', atMs: 0 }, unresolved: ['lost-1'] },
};
const MESSAGES = {
  hello: HELLO,
  proof: { type: 'proof', signature: 's' },
  time: { type: 'time', seq: 1 },
  report: { type: 'report', outputs: [], faults: [] },
  resume: { type: 'resume', outcomes: [], notStarted: [] },
  result: { type: 'result', commandId: 'c', outcome: 'executed' },
  events: { type: 'events', historyId: 'h', entries: [] },
} satisfies Record<string, DeviceMessage>;
type Said = keyof typeof MESSAGES;
const says = (name: Said): LinkEvent => ({ kind: 'message', message: MESSAGES[name] });
const ENDINGS: LinkEvent[] = [
  { kind: 'close', code: CLOSE.revoked, reason: 'revoked' },
  { kind: 'cut' },
  { kind: 'gone' },
];

function run(events: readonly LinkEvent[]): { state: LinkState; effects: LinkEffect[] } {
  let state = FIRST_STATE;
  const effects: LinkEffect[] = [];
  for (const event of events) {
    const [next, out] = step(state, event);
    state = next;
    effects.push(...out);
  }
  return { state, effects };
}

const WELCOMED: LinkEvent[] = [says('hello'), says('proof'), OPENED];
const UP: LinkEvent[] = [...WELCOMED, says('time'), says('resume')];
const done = (effects: LinkEffect[]) => effects.map((effect) => effect.do);

describe('the state of a link', () => {
  test('goes from hello to up, each step with its effects', () => {
    const { state, effects } = run(UP);
    expect(state).toEqual({ phase: 'up', hello: HELLO, epoch: 7, seq: 0 });
    expect(done(effects)).toEqual([
      ...['challenge', 'limit', 'open', 'attach', 'send', 'answer-time', 'limit', 'resume', 'up'],
    ]);
    expect(effects[4]).toEqual({ do: 'send', message: { type: 'welcome', epoch: 7, unresolved: ['lost-1'] } });
  });

  test.each<[string, LinkEvent[], Said]>([
    ['a proof before hello', [], 'proof'],
    ['a result before the welcome', [says('hello'), says('proof')], 'result'],
    ['a report before the welcome', [says('hello')], 'report'],
    ['a resume report before the time (I14)', WELCOMED, 'resume'],
    ['events before the resume report', [...WELCOMED, says('time')], 'events'],
  ])('ends with %s', (_what, before, early) => {
    const { state, effects } = run([...before, says(early)]);
    expect(state).toEqual({ phase: 'ended' });
    expect(effects).toContainEqual({ do: 'close', code: CLOSE.protocolError, reason: `${early} out of turn` });
  });

  test.each<[Said]>([['hello'], ['proof'], ['resume']])('ignores a repeated %s (T7)', (repeated) => {
    expect(run([...UP, says(repeated)])).toEqual(run(UP));
  });

  test('numbers the frames that report a state, results and reports together (I11)', () => {
    const { effects } = run([...UP, says('report'), says('result'), says('report')]);
    expect(effects.slice(-3)).toMatchObject([{ seq: 1 }, { version: { epoch: 7, seq: 2 } }, { seq: 3 }]);
  });

  test.each(ENDINGS)('ends once, and says whether it was up: %j', (ending) => {
    for (const [events, link] of [
      [[], null],
      [WELCOMED, { hello: HELLO, epoch: 7, wasUp: false }],
      [UP, { hello: HELLO, epoch: 7, wasUp: true }],
    ] as const) {
      const { effects } = run([...events, ending, ending]);
      expect(effects.filter((effect) => effect.do === 'end')).toEqual([{ do: 'end', link }]);
    }
  });

  test('whatever arrives: nothing after the end (I12), up only after time and resume (I14), no result of another epoch', () => {
    const event = fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...(Object.keys(MESSAGES) as Said[])).map(says) },
      { weight: 3, arbitrary: fc.constant(OPENED) },
      { weight: 1, arbitrary: fc.constantFrom<LinkEvent>(...ENDINGS, { kind: 'refused', code: 'not-proven' }) },
    );
    const begun = fc.constantFrom<LinkEvent[]>([], WELCOMED, UP);
    fc.assert(
      fc.property(begun, fc.array(event, { maxLength: 20 }), (start, rest) => {
        let state = FIRST_STATE;
        const before: string[] = [];
        for (const next of [...start, ...rest]) {
          const wasEnded = state.phase === 'ended';
          const [after, effects] = step(state, next);
          if (wasEnded) expect([after, effects]).toEqual([state, []]);
          for (const effect of effects) {
            if (effect.do === 'up') expect(before).toEqual(expect.arrayContaining(['attach', 'answer-time', 'resume']));
            if (effect.do === 'confirm') expect(effect.version.epoch).toBe(7);
            if (effect.do === 'confirm' || effect.do === 'report') expect(before).toContain('attach');
            before.push(effect.do);
          }
          state = after;
        }
        expect(before.filter((name) => name === 'end')).toHaveLength(state.phase === 'ended' ? 1 : 0);
        expect(before.filter((name) => name === 'attach').length).toBeLessThanOrEqual(1);
      }),
      generatedRounds(2_000, 50_000),
    );
  });
});
