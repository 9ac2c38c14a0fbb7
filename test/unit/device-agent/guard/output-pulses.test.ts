import { describe, expect, test } from '@jest/globals';
import { RELEASE_RETRY_MS } from '@relaygate/device-agent/guard/output';
import { type OutputEvent, stateOf } from '@relaygate/device-agent/guard/output-phase';
import { commanded, drove, executed, impulse, off, on, play, pulse, rulesOf, toggle } from './output-play';

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
    for (const phase of ['inactive', 'pulsing'] as const) {
      expect(play({ phase }, [commanded(off)], impulse)).toEqual({ output: { phase }, effects: [executed] });
    }
  });

  test.each([on, toggle, pulse])('during a pulse %j moves nothing and counts as executed', (command) => {
    expect(play({ phase: 'pulsing' }, [commanded(command)], impulse)).toEqual({
      output: { phase: 'pulsing' },
      effects: [executed],
    });
  });

  test('whose pulse the board does not end is tried again every 100 ms until it does', () => {
    const failed = play({ phase: 'pulsing' }, [{ kind: 'due' }, { kind: 'drive-failed' }], impulse);
    expect(failed.output).toEqual({ phase: 'stuck' });
    expect(failed.effects.at(-1)).toEqual({ do: 'wait', delayMs: RELEASE_RETRY_MS });
    const again = play(failed.output, [{ kind: 'due' }], impulse);
    expect(again.effects).toEqual([{ do: 'drive', active: false, command: false }]);
    expect(play(again.output, [drove(false)], impulse).output).toEqual({ phase: 'inactive' });
  });
});

describe('a pulse that commands extend', () => {
  const extended = rulesOf({ mode: 'impulse', retrigger: 'extend' });
  const asked = play({ phase: 'pulsing' }, [commanded(pulse)], extended);
  const ordered = play(asked.output, [{ kind: 'ordered' }], extended);

  test('is ordered once more and timed from there', () => {
    expect(asked.effects).toEqual([{ do: 'drive', active: true, command: true, pulseMs: 500 }]);
    expect(stateOf(asked.output)).toBe(1);
    expect(play(ordered.output, [drove(true)], extended)).toEqual({
      output: { phase: 'pulsing' },
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
    expect(output).toEqual({ phase: 'pulsing' });
    expect(effects).toEqual([{ do: 'wait', delayMs: 500, sinceMs: 100 }, executed]);
  });

  test('ends when its old time is over and the board says that the order came too late', () => {
    const late: OutputEvent = { kind: 'not-driven', outcome: 'expired' };
    const { effects } = play(ordered.output, [{ kind: 'due' }, late], extended);
    expect(effects).toEqual([
      { do: 'settle', outcome: 'expired' },
      { do: 'drive', active: false, command: false },
    ]);
    expect(play(ordered.output, [late], extended).output).toEqual({ phase: 'pulsing' });
  });

  test('ends at once where the board fails', () => {
    const { effects } = play(ordered.output, [{ kind: 'drive-failed' }], extended);
    expect(effects).toContainEqual({ do: 'settle', outcome: 'refused', reason: 'board-failed' });
    expect(effects.at(-1)).toEqual({ do: 'drive', active: false, command: false });
  });

  test('is not extended by state 0', () => {
    expect(play({ phase: 'pulsing' }, [commanded(off)], extended)).toEqual({
      output: { phase: 'pulsing' },
      effects: [executed],
    });
  });
});
