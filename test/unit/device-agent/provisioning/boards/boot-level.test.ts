import { describe, expect, test } from '@jest/globals';
import { bootLevelsOf, curesOf, headerLineOf } from '@relaygate/device-agent/provisioning/boards/boot-level';
import { cureWords } from '@relaygate/device-agent/provisioning/boards/cures';
import { HEADER_PINS, pinOf } from '@relaygate/device-agent/provisioning/boards/header-pins';

const wiring = (activeLevel: 'high' | 'low', ...bcms: number[]) => ({
  activeLevel,
  relays: bcms.map((bcm) => ({ label: `K${bcm}`, bcm })),
});

const NONE = { configLine: null, resistor: null };

describe('the 40-pin header', () => {
  test('has each BCM number from 0 to 27 once', () => {
    expect(HEADER_PINS).toHaveLength(40);
    const bcms = HEADER_PINS.filter((content) => typeof content === 'number');
    expect(bcms.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 28 }, (_, bcm) => bcm));
  });

  // The makers of the Waveshare board and of PiRelay V2 print both numbers.
  test.each([
    [26, 37],
    [20, 38],
    [21, 40],
    [19, 35],
    [13, 33],
    [6, 31],
    [5, 29],
    [4, 7],
    [17, 11],
    [2, 3],
  ])('has BCM %i at pin %i', (bcm, pin) => {
    expect(pinOf(bcm)).toBe(pin);
  });
});

describe('until the guard runs', () => {
  test('BCM 0 to 8 are high and 9 to 27 are low', () => {
    const pulls = bootLevelsOf(wiring('high', 0, 8, 9, 27)).map(({ pull }) => pull);
    expect(pulls).toEqual(['high', 'high', 'low', 'low']);
  });

  test.each([
    ['high', [8], [9]],
    ['low', [9], [8]],
  ] as const)('a relay that closes on %s is at risk behind %j and not behind %j', (activeLevel, risky, safe) => {
    const levels = bootLevelsOf(wiring(activeLevel, ...risky, ...safe));
    expect(levels.map(({ isRisky }) => isRisky)).toEqual([true, false]);
  });

  test('a resistor and a line in config.txt hold it open', () => {
    expect(curesOf(wiring('low', 26, 5))).toEqual([
      { bcm: 26, configLine: 'gpio=26=op,dh', resistor: '4.7 kΩ from BCM 26 (pin 37) to 3.3 V' },
    ]);
    expect(curesOf(wiring('high', 26, 5))).toEqual([
      { bcm: 5, configLine: 'gpio=5=op,dl', resistor: '4.7 kΩ from BCM 5 (pin 29) to GND' },
    ]);
  });

  test('no resistor can where the Raspberry Pi has a stronger one itself', () => {
    expect(curesOf(wiring('high', 2))).toEqual([{ bcm: 2, configLine: 'gpio=2=op,dl', resistor: null }]);
    expect(curesOf(wiring('low', 2))).toEqual([]);
  });

  test.each(['high', 'low'] as const)(
    'no level of the UART is safe to a relay that closes on %s, nor is it cured',
    (activeLevel) => {
      const levels = bootLevelsOf(wiring(activeLevel, 14, 15, 17));
      expect(levels.map(({ isUart }) => isUart)).toEqual([true, true, false]);
      expect(levels.map(({ pull }) => pull)).toEqual([null, null, 'low']);
      expect(levels.slice(0, 2).map(({ isRisky }) => isRisky)).toEqual([true, true]);
      expect(curesOf(wiring(activeLevel, 14, 15)).map(({ bcm, ...cure }) => cure)).toEqual([NONE, NONE]);
    },
  );
});

describe('what somebody must do', () => {
  test.each([
    [
      'high',
      [5],
      /^Hold them open by a resistor each \(4\.7 kΩ from BCM 5 .* to GND\) and in config\.txt by gpio=5=op,dl$/,
    ],
    ['low', [14], /^Use another line than BCM 14$/],
    ['high', [14, 5, 2], /^Hold .* by gpio=5=op,dl; use another line than BCM 14, 2$/],
  ] as const)('of relays that close on %s behind %j', (activeLevel, bcms, words) => {
    expect(cureWords(curesOf(wiring(activeLevel, ...bcms)))).toMatch(words);
  });

  test('is nothing behind a line that is not of the header', () => {
    expect(headerLineOf({ kind: 'gpio', lines: [17, 40] }, 0)).toBe(17);
    expect(headerLineOf({ kind: 'gpio', lines: [17, 40] }, 1)).toBeNull();
    expect(headerLineOf({ kind: 'gpio', lines: [17] }, 1)).toBeNull();
    expect(headerLineOf({ kind: 'gpio', lines: [17], chip: 'mcp23017' }, 0)).toBeNull();
    expect(headerLineOf({ kind: 'simulated' }, 0)).toBeNull();
  });
});
