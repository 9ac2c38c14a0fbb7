import { describe, expect, test } from '@jest/globals';
import { stateOf } from '@relaygate/device-agent/guard/output-phase';
import type { OutputEvent } from '@relaygate/device-agent/guard/output-types';
import { commanded, drove, impulse, PULSING, play, pulse, rulesOf } from './output-play';

describe('a pulse that commands extend', () => {
  const extended = rulesOf({ mode: 'impulse', retrigger: 'extend' });
  const asked = play(PULSING, [commanded(pulse)], extended);
  const ordered = play(asked.output, [{ kind: 'ordered' }], extended);

  test('ends when its old time is over and the board says that the order came too late', () => {
    const late: OutputEvent = { kind: 'not-driven', outcome: 'expired' };
    const { effects } = play(ordered.output, [{ kind: 'due' }, late], extended);
    expect(effects).toEqual([
      { do: 'settle', outcome: 'expired' },
      { do: 'drive', active: false, command: false },
    ]);
    expect(play(ordered.output, [late], extended).output).toEqual(PULSING);
  });
});

describe('a pulse that somebody ends', () => {
  const stop = (sinceMs: number): OutputEvent => ({ kind: 'stop', sinceMs });
  const isReleased = [{ do: 'stop-waiting' }, { do: 'drive', active: false, command: false }];

  test('ends at once, and its own end comes no more', () => {
    const ended = play(PULSING, [stop(PULSING.sinceMs)], impulse);
    expect(ended.effects).toEqual(isReleased);
    expect(stateOf(ended.output)).toBe(1);
    expect(play(ended.output, [drove(false)], impulse).output).toEqual({ phase: 'inactive' });
  });
});
