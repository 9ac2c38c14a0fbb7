import { describe, expect, test } from '@jest/globals';
import { SettingsInForce } from '../checker/settings-in-force';
import { type History, newHistory } from '../witnesses/history';
import type { Wish } from '../witnesses/on-site-records';

const machine = 'gate-0';
const OUTPUT = { name: 'Gate', mode: 'on-off', pulseMs: 500, activeLevel: 'high', powerOn: 'restore' } as const;

const asked = (askedMs: number, answer: string): Wish => ({
  machine,
  numOutput: 0,
  askedMs,
  answeredMs: askedMs + 100,
  answer,
  change: { powerOn: 'off' },
  force: false,
});

function inForce(history: Partial<History>): SettingsInForce {
  return new SettingsInForce({ ...newHistory(), ...history }, () => OUTPUT);
}

describe('the checker', () => {
  test('takes a change that was made for one, and no change that was refused', () => {
    const unwantedOf = (answer: string): unknown =>
      inForce({ wishes: [asked(1_000, answer)] }).unwantedOf({ machine, output: 0 });
    expect(unwantedOf('ok')).toEqual([{ fromMs: 1_000, untilMs: 1_100 }]);
    expect(unwantedOf('output-active')).toEqual([]);
    expect(inForce({ wishes: [asked(1_000, 'ok')] }).unwantedOf({ machine, output: 1 })).toEqual([]);
    const restored: Wish = { ...asked(1_000, 'ok'), change: { powerOn: 'restore' } };
    expect(inForce({ wishes: [restored] }).unwantedOf({ machine, output: 0 })).toEqual([]);
  });

  test('takes what was asked until a device was wiped for gone with it, and nothing that was asked of the new one', () => {
    const reset = { machine, markedMs: 1_000, beganMs: 1_100, wipedMs: 2_000, setUpMs: 3_000, left: [], entries: [] };
    const policyAfter = (askedMs: number): unknown => {
      const settings = inForce({ wishes: [asked(askedMs, 'ok')], wipings: [reset] });
      return [...settings.valuesOf({ machine, numOutput: 0 }, 'powerOn', { fromMs: 5_000, untilMs: 6_000 })];
    };
    expect(policyAfter(1_500)).toEqual(['restore']);
    expect(policyAfter(3_500)).toEqual(['off']);
  });
});
