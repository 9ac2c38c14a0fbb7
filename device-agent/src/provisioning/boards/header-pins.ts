/** The Raspberry Pi's 40-pin header, the same on every model that has one. Source: raspberrypi.com, "GPIO and the 40-pin header". */

/** What is at pins 1 to 40, in their order: a BCM number, or a supply. */
export const HEADER_PINS: readonly (number | '3V3' | '5V' | 'GND')[] = [
  ...(['3V3', '5V', 2, '5V', 3, 'GND', 4, 14, 'GND', 15] as const),
  ...([17, 18, 27, 'GND', 22, 23, '3V3', 24, 10, 'GND'] as const),
  ...([9, 25, 11, 8, 'GND', 7, 0, 1, 5, 'GND'] as const),
  ...([6, 12, 13, 'GND', 19, 16, 26, 20, 'GND', 21] as const),
];

/** The pin of a BCM number, 1 to 40; every number from 0 to 27 has one. */
export function pinOf(bcm: number): number {
  return HEADER_PINS.indexOf(bcm) + 1;
}
