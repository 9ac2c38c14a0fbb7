import { expect, test } from '@jest/globals';
import { clientAddresses } from '@relaygate/server/http/client-address';

function addressOf(forwardedFor: string, peer = '10.0.0.1'): string {
  const request = { headers: { 'x-forwarded-for': forwardedFor }, socket: { remoteAddress: peer } };
  return clientAddresses(['10.0.0.0/8'])(request as never);
}

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['192.0.2.7:5678', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['[::ffff:192.0.2.7]:443', '192.0.2.7'],
  ['2001:db8:1:2::7', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::7]', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::7]:443', '2001:db8:1:2::/64'],
  ['[::1]:443', '0:0:0:0::/64'],
  // Eight parts: the last is no port.
  ['2001:db8:1:2:3:4:5:443', '2001:db8:1:2::/64'],
])('X-Forwarded-For %s: %s', (forwardedFor, address) => {
  expect(addressOf(forwardedFor)).toBe(address);
});

test.each(['unknown', '192.0.2', '192.0.2.7:', '192.0.2.7:port', '192.0.2.7:123456', '[192.0.2.7', '2130706433', 'x'])(
  'X-Forwarded-For %j: an address that nobody knows',
  (forwardedFor) => {
    expect(addressOf(forwardedFor)).toBe('unknown');
  },
);

test('a trusted proxy that is forwarded with a port is passed over too', () => {
  expect(addressOf('192.0.2.7:5678, 10.0.0.9:1234')).toBe('192.0.2.7');
});

test('nobody else is believed', () => {
  expect(addressOf('192.0.2.7:5678', '203.0.113.1')).toBe('203.0.113.1');
});
