import { describe, expect, test } from '@jest/globals';
import { clearance, type Member, memberOf } from '@relaygate/device-agent/guard/commands/interlock';
import type { Output } from '@relaygate/device-agent/guard/output-types';

const off = (sinceMs: number): Member => ({ numOutput: 1, is: 'off', sinceMs });
const at = (is: 'on' | 'pulsing' | 'moving' | 'unknown' | 'unread', numOutput = 1): Member => ({ numOutput, is });

describe('an output of an interlock group', () => {
  test.each<[string, Member[], number, number, ReturnType<typeof clearance>]>([
    ['goes when it is alone', [], 500, 2_000, { do: 'go' }],
    ['goes when the other has been off for the delay', [off(500)], 500, 2_000, { do: 'go' }],
    ['waits until it has', [off(600), off(100)], 500, 2_000, { do: 'wait', untilMs: 1_100 }],
    [
      'is refused when the delay ends at the deadline',
      [off(600)],
      500,
      1_100,
      { do: 'refuse', reason: 'interlock-delay' },
    ],
    ['breaks the other', [at('on'), off(0)], 500, 2_000, { do: 'break', members: [1] }],
    [
      'breaks nothing when the delay cannot end in time',
      [at('on')],
      500,
      1_500,
      { do: 'refuse', reason: 'interlock-delay' },
    ],
    ['breaks without a delay', [at('on')], 0, 1_001, { do: 'break', members: [1] }],
    [
      'is refused while another pulses',
      [at('on'), at('pulsing', 2)],
      0,
      9_000,
      { do: 'refuse', reason: 'interlocked' },
    ],
    ['is refused while another may be on', [off(0), at('unknown')], 0, 9_000, { do: 'refuse', reason: 'interlocked' }],
    [
      'is refused beside one that cannot be read, and breaks nothing',
      [at('on'), at('unread', 2)],
      0,
      9_000,
      { do: 'refuse', reason: 'interlock-unread' },
    ],
    ['lets another one finish first', [at('moving', 3), at('on')], 0, 9_000, { do: 'settle', members: [3] }],
  ])('%s', (_name, others, delayMs, startBeforeMs, wanted) => {
    expect(clearance(others, delayMs, 1_000, startBeforeMs)).toEqual(wanted);
  });
});

test.each<Output>([
  { phase: 'unknown' },
  { phase: 'stuck' },
  { phase: 'waiting', active: true, until: 'board-back' },
  { phase: 'waiting', active: false, until: 'board-back' },
  { phase: 'waiting', active: true, until: 'interlock-cleared' },
])('an output that is %j may be on, as its group sees it', (output) => {
  expect(memberOf(1, output, 'on-off', { isDriving: false, movedMs: 0, isReadBack: true }, 'shown')).toEqual(
    at('unknown'),
  );
});

test.each<Output>([{ phase: 'inactive' }, { phase: 'active' }])(
  'an output that is %j may be anything where its board does not answer',
  (output) => {
    const written = { isDriving: false, movedMs: 0, isReadBack: false };
    expect(memberOf(1, output, 'on-off', written, 'shown')).toEqual(at('unread'));
    expect(memberOf(1, output, 'on-off', { ...written, isDriving: true }, 'shown').is).not.toBe('unread');
  },
);
