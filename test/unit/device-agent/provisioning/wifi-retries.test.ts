import { expect, test } from '@jest/globals';
import type { NetworkView } from '@relaygate/device-agent/provisioning/network-view';
import { WifiRetries } from '@relaygate/device-agent/provisioning/wifi-retries';

const MINUTE_MS = 60_000;
const AWAY: NetworkView = { isConnected: false, wifi: 'wrong-passphrase' };

/** The minutes of `count` at which it is tried. */
function triesOf(retries: WifiRetries, fromMinute: number, count: number, network = AWAY): number[] {
  const minutes = Array.from({ length: count }, (_, n) => fromMinute + n);
  return minutes.filter((minute) => retries.isDue(minute * MINUTE_MS, network));
}

test('a Wi-Fi that is away is tried for ever, more and more seldom', () => {
  expect(triesOf(new WifiRetries(), 0, 60)).toEqual([1, 3, 7, 15, 25, 35, 45, 55]);
});

test('once it was there it is soon tried again', () => {
  const retries = new WifiRetries();
  triesOf(retries, 0, 60);
  expect(retries.isDue(60 * MINUTE_MS, { isConnected: true, wifi: 'connected' })).toBe(false);
  expect(triesOf(retries, 61, 10)).toEqual([62, 64, 68]);
});

test('it is tried also where a cable gives the device an address', () => {
  const byCable = { ...AWAY, isConnected: true };
  expect(triesOf(new WifiRetries(), 0, 16, byCable)).toEqual([1, 3, 7, 15]);
});

test('where nobody says how it is, an address counts', () => {
  const unknown: NetworkView = { isConnected: true, wifi: 'unknown' };
  expect(triesOf(new WifiRetries(), 0, 16, unknown)).toEqual([]);
  expect(triesOf(new WifiRetries(), 0, 16, { ...unknown, isConnected: false })).toEqual([1, 3, 7, 15]);
});
