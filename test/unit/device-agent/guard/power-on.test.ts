import { describe, expect, test } from '@jest/globals';
import { powerOnActive, type RememberedState } from '@relaygate/device-agent/guard/power-on';
import { DEMO_OUTPUTS } from '../../../support/device/device';
import { ON_OFF } from '../../../support/device/guard-in-memory';

const [onOff, , impulse] = DEMO_OUTPUTS;

function activeOf(
  powerOn: 'off' | 'on' | 'restore',
  remembered: RememberedState | null,
  mode: 'on-off' | 'impulse' = 'on-off',
) {
  const output = mode === 'on-off' ? onOff : impulse;
  if (!output) throw new Error('the demo has such an output');
  return powerOnActive([{ ...output, powerOn }], remembered, 'this-boot')[0];
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

  test('restore of an output with maxOnMs holds after a power cut, and not when only the guard restarted (I14)', () => {
    const settings = { ...ON_OFF, powerOn: 'restore', maxOnMs: 1_000 } as const;
    expect(powerOnActive([settings], wasOn, 'this-boot')).toEqual([true]);
    expect(powerOnActive([settings], restartedOn, 'this-boot')).toEqual([false]);
  });

  test('puts one output of an interlock group on: the first that is to be (I14)', () => {
    const locked = { ...ON_OFF, interlock: 'motor' } as const;
    const outputs = [
      { ...locked, powerOn: 'restore' },
      { ...locked, powerOn: 'on' },
      { ...locked, powerOn: 'on' },
      { ...ON_OFF, powerOn: 'on' },
    ] as const;
    expect(powerOnActive(outputs, wasOff, 'this-boot')).toEqual([false, true, false, true]);
    expect(powerOnActive(outputs, wasOn, 'this-boot')).toEqual([true, false, false, true]);
  });
});
