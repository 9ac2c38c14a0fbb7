import { describe, expect, test } from '@jest/globals';
import { stateOf } from '@relaygate/device-agent/guard/output-phase';
import type { Output, OutputEffect, OutputEvent, OutputRules } from '@relaygate/device-agent/guard/output-types';
import {
  commanded,
  drove,
  executed,
  impulse,
  off,
  on,
  onOff,
  PULSING,
  play,
  pulse,
  restored,
  rulesOf,
  toggle,
} from './output-play';

describe('an on-off output', () => {
  test.each([
    ['set on while off', 'inactive', on, true, 'active'],
    ['set off while on', 'active', off, false, 'inactive'],
    ['toggle while off', 'inactive', toggle, true, 'active'],
    ['toggle while on', 'active', toggle, false, 'inactive'],
  ] as const)('%s drives the line, then says executed', (_name, phase, command, active, after) => {
    const started = play({ phase }, [commanded(command)], onOff);
    expect(started.effects).toEqual([{ do: 'drive', active, command: true }]);
    const ended = play(started.output, [drove(active)], onOff);
    expect(ended).toEqual({ output: { phase: after }, effects: [executed] });
  });

  test.each([
    ['inactive', off],
    ['active', on],
  ] as const)('that is %s already moves nothing and says already-set', (phase, command) => {
    expect(play({ phase }, [commanded(command)], onOff)).toEqual({
      output: { phase },
      effects: [{ do: 'settle', outcome: 'already-set' }],
    });
  });
});

describe('an output that is restored after a power cut', () => {
  test.each([
    ['inactive', off],
    ['active', on],
  ] as const)('that is %s already says so only once that would outlast a power cut (I8)', (phase, command) => {
    const asked = play({ phase }, [commanded(command)], restored);
    expect(asked.effects).toEqual([{ do: 'save', active: phase === 'active' }]);
    expect(play(asked.output, [{ kind: 'saved' }], restored)).toEqual({
      output: { phase },
      effects: [{ do: 'settle', outcome: 'already-set' }],
    });
    expect(play(asked.output, [{ kind: 'save-failed' }], restored)).toEqual({
      output: { phase },
      effects: [{ do: 'settle', outcome: 'unproven', reason: 'state-not-saved' }],
    });
  });

  describe('and is found on although nobody commanded it', () => {
    const found: OutputEvent = { kind: 'seen', active: true, sinceEdgeMs: 1_000 };
    const late: OutputEvent = { kind: 'not-driven', outcome: 'expired' };
    const look = commanded(off, { canLook: true });
    const { output, effects } = play({ phase: 'inactive' }, [look, found, { kind: 'saved' }, late], restored);

    test('is on, and nothing is saved but off, where the command that found it comes too late (I14)', () => {
      expect(stateOf(output)).toBe(1);
      expect(effects.filter((effect) => effect.do === 'save')).toEqual([{ do: 'save', active: false }]);
      const again = play(output, [commanded(off), { kind: 'saved' }, late], restored);
      expect(again.effects.filter((effect) => effect.do === 'save')).toEqual([{ do: 'save', active: false }]);
    });

    test('stays off when its board comes back', () => {
      expect(play(output, [{ kind: 'board-lost' }], restored).output).toMatchObject({ active: false });
      const asked: OutputEvent[] = [commanded(on, { canLook: true }), { kind: 'not-seen' }, { kind: 'board-lost' }];
      expect(play(output, asked, restored).output).toMatchObject({ active: false });
    });
  });
});

describe('an output with minSwitchIntervalMs', () => {
  const slow = rulesOf({ minSwitchIntervalMs: 1_001 });
  const tooSoon: OutputEffect = { do: 'settle', outcome: 'refused', reason: 'switched-too-soon' };

  test.each([
    ['set on', slow, on],
    ['toggled on', slow, toggle],
    ['pulsed', { ...slow, mode: 'impulse' }, pulse],
  ] as const)('is not %s before that time is over', (_name, rules, command) => {
    expect(play({ phase: 'inactive' }, [commanded(command)], rules)).toEqual({
      output: { phase: 'inactive' },
      effects: [tooSoon],
    });
    const { effects } = play({ phase: 'inactive' }, [commanded(command)], { ...rules, minSwitchIntervalMs: 1_000 });
    expect(effects).toMatchObject([{ do: 'drive', active: true }]);
  });
});

describe('any output', () => {
  test('that is stuck refuses every command and knows no state', () => {
    for (const rules of [onOff, impulse, restored]) {
      const { output, effects } = play({ phase: 'stuck' }, [commanded(on)], rules);
      expect(effects).toEqual([{ do: 'settle', outcome: 'refused', reason: 'board-failed' }]);
      expect(stateOf(output)).toBeNull();
    }
  });

  test.each<[string, Output, OutputRules, boolean]>([
    ['to be restored', { phase: 'active' }, restored, true],
    ['to be restored, while that is saved again', { phase: 'saving-same', active: true }, restored, true],
    ['to be restored, and about to go off', { phase: 'saving-off' }, restored, false],
    ['to be restored, and not durably on', { phase: 'saving-on' }, restored, false],
    ['to be restored, and has just been', { phase: 'saving-on', wasOn: true }, restored, true],
    ['not to be restored', { phase: 'active' }, onOff, false],
    ['a pulse', PULSING, { ...restored, mode: 'impulse' }, false],
  ])('that is on and %s waits for its board: on again %#', (_what, before, rules, active) => {
    const { output } = play(before, [{ kind: 'board-lost' }, { kind: 'board-lost' }], rules);
    expect(output).toEqual({ phase: 'waiting', active, until: 'board-back' });
  });

  test('that waits for its board stays off, durably, once a policy has ended it', () => {
    const { output, effects } = play({ phase: 'active' }, [{ kind: 'board-lost' }, { kind: 'limit' }], restored);
    expect(output).toMatchObject({ phase: 'waiting', active: false });
    expect(effects).toEqual([{ do: 'stop-waiting' }, { do: 'save', active: false }]);
  });
});
