import { describe, expect, test } from '@jest/globals';
import { stateOf } from '@relaygate/device-agent/guard/output-phase';
import type { OutputEvent } from '@relaygate/device-agent/guard/output-types';
import { RELEASE_RETRY_MS } from '../../../support/time/promised-times';
import { commanded, drove, executed, failed, impulse, PULSING, play, pulse, rulesOf } from './output-play';

describe('an impulse output', () => {
  test('whose pulse the board does not end is tried again every 100 ms until it does', () => {
    const stuck = play(PULSING, [{ kind: 'due' }, failed], impulse);
    expect(stuck.output).toEqual({ phase: 'stuck' });
    expect(stuck.effects.at(-1)).toEqual({ do: 'wait', delayMs: RELEASE_RETRY_MS, sinceMs: failed.atMs });
    const again = play(stuck.output, [{ kind: 'due' }], impulse);
    expect(again.effects).toEqual([{ do: 'drive', active: false, command: false }]);
    expect(play(again.output, [drove(false)], impulse).output).toEqual({ phase: 'inactive' });
  });
});

describe('a pulse that commands extend', () => {
  const extended = rulesOf({ mode: 'impulse', retrigger: 'extend' });
  const asked = play(PULSING, [commanded(pulse)], extended);
  const ordered = play(asked.output, [{ kind: 'ordered' }], extended);

  test('is ordered once more and timed from there', () => {
    expect(asked.effects).toEqual([{ do: 'drive', active: true, command: true, pulseMs: 500 }]);
    expect(stateOf(asked.output)).toBe(1);
    expect(play(ordered.output, [drove(true)], extended)).toEqual({
      output: PULSING,
      effects: [{ do: 'wait', delayMs: 500, sinceMs: 100 }, executed],
    });
  });

  test('ends at its old time when the board has not been told by then, and the command starts one of its own (I4)', () => {
    const ended = play(asked.output, [{ kind: 'due' }], extended);
    expect(ended.effects).toEqual([{ do: 'postpone' }, { do: 'drive', active: false, command: false }]);
    const again = play(ended.output, [drove(false), commanded(pulse)], extended);
    expect(again.effects).toEqual([{ do: 'drive', active: true, command: true, pulseMs: 500 }]);
  });

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
