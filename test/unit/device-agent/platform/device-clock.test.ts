import { describe, expect, test } from '@jest/globals';
import { type ClockMachine, deviceClock } from '@relaygate/device-agent/platform/device-clock';

const NOW_MS = Date.UTC(2026, 10, 22);
const PI = { '/proc/device-tree/compatible': 'raspberrypi,3-model-b\0' };
const battery = (hctosys: string, sinceEpoch: number): Record<string, string> => ({
  '/sys/class/rtc/rtc0/hctosys': `${hctosys}\n`,
  '/sys/class/rtc/rtc0/since_epoch': `${sinceEpoch}\n`,
});

class PlayedMachine implements ClockMachine {
  nowMs = NOW_MS;
  isInStep = false;
  asked = 0;

  constructor(readonly texts: Readonly<Record<string, string>>) {}

  epochMs(): number {
    return this.nowMs;
  }
  textOf(path: string): string | null {
    return this.texts[path] ?? null;
  }
  namesIn(folder: string): string[] {
    return Object.keys(this.texts).some((path) => path.startsWith(folder)) ? ['rtc0'] : [];
  }
  isSynchronised(): boolean {
    this.asked += 1;
    return this.isInStep;
  }
}

describe('the clock of a Raspberry Pi', () => {
  test('is not set before the kernel counts it as synchronised, however new its package is', () => {
    const machine = new PlayedMachine(PI);
    const clock = deviceClock(machine);
    expect(clock.isSet()).toBe(false);
    machine.isInStep = true;
    expect(clock.isSet()).toBe(true);
  });

  test('stays set when the time server goes away, and nobody asks again', () => {
    const machine = new PlayedMachine(PI);
    const clock = deviceClock(machine);
    machine.isInStep = true;
    clock.isSet();
    machine.isInStep = false;
    expect(clock.isSet()).toBe(true);
    expect(machine.asked).toBe(1);
  });

  test.each([
    ['a battery has kept it', battery('1', NOW_MS / 1_000), true],
    ['there is a clock without its battery', battery('1', 60), false],
    ['there is one that the kernel has not taken', battery('0', NOW_MS / 1_000), false],
  ])('where %s', (_where, texts, isSet) => {
    expect(deviceClock(new PlayedMachine({ ...PI, ...texts })).isSet()).toBe(isSet);
  });
});

describe('the clock of another machine', () => {
  test('is set: it has a battery, or a host', () => {
    expect(deviceClock(new PlayedMachine({})).isSet()).toBe(true);
  });

  test('is not set where it shows 1970', () => {
    const machine = new PlayedMachine({});
    machine.nowMs = 60_000;
    expect(deviceClock(machine).isSet()).toBe(false);
  });
});

test('the kernel of this machine can be asked', () => {
  expect(typeof deviceClock().isSet()).toBe('boolean');
});
