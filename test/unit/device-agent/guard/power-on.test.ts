import { describe, expect, test } from '@jest/globals';
import { type EarlierGuard, powerOnActive, type RememberedState } from '@relaygate/device-agent/guard/power-on';
import { DEMO_OUTPUTS } from '../../../support/device/device';
import { ON_OFF } from '../../../support/device/guard-in-memory';

const [onOff, , impulse] = DEMO_OUTPUTS;

/** A guard ran in this boot, and has left nothing. */
const unknown: EarlierGuard = { onSinceMs: new Map(), heartbeat: null };

function activeOf(
  powerOn: 'off' | 'on' | 'restore',
  remembered: RememberedState | null,
  mode: 'on-off' | 'impulse' = 'on-off',
) {
  const output = mode === 'on-off' ? onOff : impulse;
  if (!output) throw new Error('the demo has such an output');
  const earlier = remembered?.bootId === 'this-boot' ? unknown : null;
  return powerOnActive([{ ...output, powerOn }], remembered, earlier, 5_000)[0];
}

const wasOn: RememberedState = { bootId: 'last-boot', active: new Map([[0, true]]) };
const wasOff: RememberedState = { bootId: 'last-boot', active: new Map([[0, false]]) };
const restartedOn: RememberedState = { bootId: 'this-boot', active: new Map([[0, true]]) };
const firstStart: RememberedState = { bootId: null, active: new Map() };

describe('the power-on policy', () => {
  test.each([
    ['off, after a power cut', 'off', wasOn, false],
    ['on, after a power cut', 'on', wasOff, true],
    ['on, at the first start', 'on', firstStart, true],
    ['on, when only the guard restarted', 'on', restartedOn, false],
    ['restore, after a power cut while on', 'restore', wasOn, true],
    ['restore, after a power cut while off', 'restore', wasOff, false],
    ['restore, when only the guard restarted', 'restore', restartedOn, true],
    ['restore, at the first start', 'restore', firstStart, false],
  ] as const)('%s', (_name, powerOn, remembered, active) => {
    expect(activeOf(powerOn, remembered)).toBe(active);
  });

  test.each(['off', 'on', 'restore'] as const)('%s keeps an impulse output inactive', (powerOn) => {
    expect(activeOf(powerOn, wasOn, 'impulse')).toBe(false);
  });

  test.each(['off', 'on', 'restore'] as const)('%s starts inactive when the state file was corrupt', (powerOn) => {
    expect(activeOf(powerOn, null)).toBe(false);
  });

  describe.each([
    ['maxOnMs', { maxOnMs: 10_000 }],
    ['onLinkLoss', { onLinkLoss: 'off', linkLossMs: 10_000 }],
    ['onAgentLoss', { onAgentLoss: 'off', agentLossMs: 10_000 }],
  ] as const)('restore of an output with %s', (_name, limit) => {
    const settings = { ...ON_OFF, powerOn: 'restore', ...limit } as const;
    const heartbeat = { agentMs: 1_000, linkMs: 1_000, linkIsUp: true };
    const known: EarlierGuard = { onSinceMs: new Map([[0, 1_000]]), heartbeat };

    test('holds when only the guard restarted, while there is time left', () => {
      expect(powerOnActive([settings], wasOn, known, 10_999)).toEqual([true]);
      expect(powerOnActive([settings], wasOn, known, 11_000)).toEqual([false]);
    });

    test('holds no more where nobody knows how much time is left (I14)', () => {
      expect(powerOnActive([settings], wasOn, unknown, 1_000)).toEqual([false]);
      expect(powerOnActive([settings], wasOn, { ...known, heartbeat: null }, 1_000)).toEqual([false]);
      expect(powerOnActive([settings], wasOn, { ...known, onSinceMs: new Map() }, 1_000)).toEqual([false]);
    });
  });

  test('puts one output of an interlock group on: the first that is to be (I14)', () => {
    const locked = { ...ON_OFF, interlock: 'motor' } as const;
    const outputs = [
      { ...locked, powerOn: 'restore' },
      { ...locked, powerOn: 'on' },
      { ...locked, powerOn: 'on' },
      { ...ON_OFF, powerOn: 'on' },
    ] as const;
    expect(powerOnActive(outputs, wasOff, null, 5_000)).toEqual([false, true, false, true]);
    expect(powerOnActive(outputs, wasOn, null, 5_000)).toEqual([true, false, false, true]);
  });
});
