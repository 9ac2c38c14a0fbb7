import { expect, test } from '@jest/globals';
import { WifiRetries } from '@relaygate/device-agent/provisioning/wifi-retries';

const MINUTE_MS = 60_000;

/** The minutes of `count` at which it is tried. */
function triesOf(retries: WifiRetries, fromMinute: number, count: number): number[] {
  const minutes = Array.from({ length: count }, (_, n) => fromMinute + n);
  return minutes.filter((minute) => retries.isDue(minute * MINUTE_MS, false));
}

test('a Wi-Fi that is away is tried for ever, more and more seldom', () => {
  expect(triesOf(new WifiRetries(), 0, 60)).toEqual([1, 3, 7, 15, 25, 35, 45, 55]);
});

test('once it was there it is soon tried again', () => {
  const retries = new WifiRetries();
  triesOf(retries, 0, 60);
  expect(retries.isDue(60 * MINUTE_MS, true)).toBe(false);
  expect(triesOf(retries, 61, 10)).toEqual([62, 64, 68]);
});
