import { describe, expect, test } from '@jest/globals';
import { stateOf } from '@relaygate/device-agent/guard/output-phase';
import type { OutputEvent } from '@relaygate/device-agent/guard/output-types';
import { RELEASE_RETRY_MS } from '../../../support/time/promised-times';
import {
  commanded,
  drove,
  executed,
  failed,
  impulse,
  off,
  on,
  PULSING,
  play,
  pulse,
  rulesOf,
  toggle,
} from './output-play';

describe('an impulse output', () => {
  test.each([
    ['set to 1', on],
    ['toggled', toggle],
    ['pulsed', pulse],
  ] as const)('%s is confirmed at its leading edge and timed from there', (_name, command) => {
    const started = play({ phase: 'inactive' }, [commanded(command)], impulse);
    expect(started.effects).toEqual([{ do: 'drive', active: true, command: true, pulseMs: 500 }]);
    const leading = play(started.output, [drove(true)], impulse);
    expect(leading.effects).toEqual([{ do: 'wait', delayMs: 500, sinceMs: 100 }, executed]);
    expect(stateOf(leading.output)).toBe(1);
    const end = play(leading.output, [{ kind: 'due' }], impulse);
    expect(end.effects).toEqual([{ do: 'drive', active: false, command: false }]);
    expect(play(end.output, [drove(false)], impulse).output).toEqual({ phase: 'inactive' });
  });

  test('set to 0 moves nothing and counts as executed', () => {
    for (const output of [{ phase: 'inactive' }, PULSING] as const) {
      expect(play(output, [commanded(off)], impulse)).toEqual({ output, effects: [executed] });
    }
  });

  test.each([on, toggle, pulse])('during a pulse %j moves nothing, and that it was ignored is said', (command) => {
    expect(play(PULSING, [commanded(command)], impulse)).toEqual({
      output: PULSING,
      effects: [{ ...executed, ignored: true }],
    });
  });

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

  test('runs on while the board is about to extend it', () => {
    const { output, effects } = play(ordered.output, [{ kind: 'due' }, drove(true)], extended);
    expect(output).toEqual(PULSING);
    expect(effects).toEqual([{ do: 'wait', delayMs: 500, sinceMs: 100 }, executed]);
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

  test('ends at once where the board fails', () => {
    const { effects } = play(ordered.output, [failed], extended);
    expect(effects).toContainEqual({ do: 'settle', outcome: 'refused', reason: 'board-failed' });
    expect(effects.at(-1)).toEqual({ do: 'drive', active: false, command: false });
  });

  test('is not extended by state 0', () => {
    expect(play(PULSING, [commanded(off)], extended)).toEqual({
      output: PULSING,
      effects: [executed],
    });
  });
});

describe('a pulse that somebody ends', () => {
  const stop = (sinceMs: number): OutputEvent => ({ kind: 'stop', sinceMs });
  const extended = rulesOf({ mode: 'impulse', retrigger: 'extend' });
  const isReleased = [{ do: 'stop-waiting' }, { do: 'drive', active: false, command: false }];

  test('ends at once, and its own end comes no more', () => {
    const ended = play(PULSING, [stop(PULSING.sinceMs)], impulse);
    expect(ended.effects).toEqual(isReleased);
    expect(stateOf(ended.output)).toBe(1);
    expect(play(ended.output, [drove(false)], impulse).output).toEqual({ phase: 'inactive' });
  });

  test('is the one that was meant: a stop that comes late leaves the next one alone', () => {
    expect(play(PULSING, [stop(PULSING.sinceMs - 1)], impulse)).toEqual({ output: PULSING, effects: [] });
    expect(play({ phase: 'inactive' }, [stop(100)], impulse).effects).toEqual([]);
  });

  test('keeps its name while commands make it longer', () => {
    const longer = play(PULSING, [commanded(pulse), { kind: 'ordered' }, { ...drove(true), atMs: 400 }], extended);
    expect(longer.output).toEqual(PULSING);
    expect(play(longer.output, [stop(PULSING.sinceMs)], extended).effects).toEqual(isReleased);
  });

  test.each([
    ['refused before the board was told', [], { outcome: 'refused', reason: 'stopped' }],
    ['not proven after that', [{ kind: 'ordered' }], { outcome: 'unproven', reason: 'ended-by-stop' }],
  ] as const)('while a command makes it longer: that one is %s', (_when, before, answer) => {
    const { effects } = play(PULSING, [commanded(pulse), ...before, stop(PULSING.sinceMs)], extended);
    expect(effects.slice(1)).toEqual([{ do: 'stop-waiting' }, { do: 'settle', ...answer }, isReleased[1]]);
  });

  test('is tried again where the board does not do it (I4)', () => {
    const { output, effects } = play(PULSING, [stop(PULSING.sinceMs), failed], impulse);
    expect(output).toEqual({ phase: 'stuck' });
    expect(effects.at(-1)).toEqual({ do: 'wait', delayMs: RELEASE_RETRY_MS, sinceMs: failed.atMs });
  });
});
