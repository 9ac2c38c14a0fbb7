import { describe, expect, test } from '@jest/globals';
import { verdictOn } from '@relaygate/device-agent/agent/proof/proof-answers';
import { isSameWiring, type Wiring, wiringOf } from '@relaygate/device-agent/agent/settings/wiring';
import { causeText } from '@relaygate/device-agent/locales/en/causes';
import { REFUSALS } from '@relaygate/device-agent/locales/en/refusals';
import { sentenceOf } from '@relaygate/device-agent/locales/sentence';
import type { Answer } from '@relaygate/device-agent/proof/proof-round';
import fc from 'fast-check';
import { generatedRounds } from '../../../../support/chance/generated-rounds';
import { DEMO_OUTPUTS } from '../../../../support/device/device';

const WIRING: Wiring = { kind: 'gpio', chip: null, lines: [5, 6, 7, 8], activeLevels: ['high', 'high', 'low', 'low'] };
const off = (...relays: number[]): Answer[] => relays.map((relay) => ({ relay, isOn: false }));

describe('the answers of whoever watched the relays', () => {
  test('exchange the lines of relays that moved for each other, with the levels that were seen to work', () => {
    expect(verdictOn(WIRING, off(3, 2, 1, 4))).toEqual({
      kind: 'wrong',
      after: { ...WIRING, lines: [7, 6, 5, 8], activeLevels: ['low', 'high', 'high', 'low'] },
      corrections: [
        { numOutput: 0, line: { from: 5, to: 7 }, activeLevel: { from: 'high', to: 'low' } },
        { numOutput: 2, line: { from: 7, to: 5 }, activeLevel: { from: 'low', to: 'high' } },
      ],
    });
  });

  test.each([
    ['no relay clicked for output 1', off(1, 0, 3, 4)],
    ['relay 1 clicked for output 0 and for output 3', off(1, 2, 3, 1)],
    ["relay 9 is none of this board's 4", off(1, 2, 3, 9)],
    ['there are 4 relays and 3 answers', off(1, 2, 3)],
  ])('change nothing: %s', (problem, answers) => {
    const verdict = verdictOn(WIRING, answers);
    const problems = verdict.kind === 'impossible' ? verdict.problems : [];
    expect(problems.map((one) => sentenceOf(one, REFUSALS, causeText))).toEqual([expect.stringContaining(problem)]);
  });

  test('cannot exchange the lines of a board that has none', () => {
    expect(verdictOn({ ...WIRING, lines: null }, off(2, 1, 3, 4))).toMatchObject({ kind: 'impossible' });
  });

  test('are about one adapter and its boards: another port or address is to be proven anew', () => {
    const board = { kind: 'modbus', port: '/dev/ttyUSB0', units: [{ address: 1, relays: 8 }] } as const;
    const wiring = wiringOf({ ...board, units: [...board.units] }, DEMO_OUTPUTS);
    expect(wiring.lines).toBeNull();
    for (const change of [{ port: '/dev/ttyUSB1' }, { units: [{ address: 2, relays: 8 }] }])
      expect(isSameWiring(wiring, wiringOf({ ...board, units: [...board.units], ...change }, DEMO_OUTPUTS))).toBe(
        false,
      );
  });

  test('of any board wired and set anyhow lead to settings under which the next round is right', () => {
    const world = fc.integer({ min: 1, max: 12 }).chain((count) =>
      fc.record({
        relayOfLine: fc.shuffledSubarray([...Array(count).keys()], { minLength: count, maxLength: count }),
        levelOfRelay: fc.array(fc.constantFrom('high' as const, 'low' as const), {
          minLength: count,
          maxLength: count,
        }),
        lines: fc.shuffledSubarray([...Array(count).keys()], { minLength: count, maxLength: count }),
        activeLevels: fc.array(fc.constantFrom('high' as const, 'low' as const), {
          minLength: count,
          maxLength: count,
        }),
      }),
    );
    fc.assert(
      fc.property(world, ({ relayOfLine, levelOfRelay, lines, activeLevels }) => {
        const watched = (wiring: Wiring): Answer[] =>
          activeLevels.map((_level, numOutput) => {
            const relay = relayOfLine[wiring.lines?.[numOutput] ?? -1] ?? -1;
            return { relay: relay + 1, isOn: wiring.activeLevels[numOutput] !== levelOfRelay[relay] };
          });
        const wiring: Wiring = { kind: 'gpio', chip: null, lines, activeLevels };
        const first = verdictOn(wiring, watched(wiring));
        const after = first.kind === 'wrong' ? first.after : wiring;
        expect(first.kind).not.toBe('impossible');
        expect(verdictOn(after, watched(after))).toEqual({ kind: 'right' });
      }),
      generatedRounds(100, 1_000),
    );
  });
});
