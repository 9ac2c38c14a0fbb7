import { beforeEach, describe, expect, test } from '@jest/globals';
import { type Connection, ConnectionRoom, hostOf } from '@relaygate/device-agent/platform/connection-room';

/** In another network than most that come. */
const OWN = '2001:db8:ffff:1::7';

let room: ConnectionRoom;
let ended: string[];
let nowMs: number;
beforeEach(() => {
  nowMs = 5_000;
  room = new ConnectionRoom({ nowMs: () => nowMs });
  ended = [];
});
const connection = (address: string, name = address): Connection => ({
  address,
  ownAddress: OWN,
  end: () => void ended.push(name),
});
/** So slowly that only the room counts. */
const enters = (one: Connection): boolean => {
  nowMs += 1_000;
  return room.enter(one);
};

test.each<[string, string]>([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::6', '2001:db8:1:2'],
  ['2001:db8::6', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
])('%s, of another network, is of host %s', (address, host) => {
  expect(hostOf({ address, ownAddress: OWN })).toBe(host);
  expect(hostOf({ address, ownAddress: '192.0.2.1' })).toBe(host);
});

// Else everybody in the device's network would be one host, and one stranger there would keep all others out.
test.each<[string, string, string]>([
  ['fe80::1:2:3:4%wlan0', 'fe80::7%wlan0', 'fe80:0:0:0:1:2:3:4'],
  ['FEBF::4%eth0', 'fe80::7%eth0', 'febf:0:0:0:0:0:0:4'],
  ['2001:db8:ffff:1::6', OWN, '2001:db8:ffff:1:0:0:0:6'],
  ['2001:db8::6', '2001:db8:0:0:1::7', '2001:db8:0:0:0:0:0:6'],
  ['2001:db8:ffff:2::6', OWN, '2001:db8:ffff:2'],
  ['::1', '::1', '0:0:0:0:0:0:0:1'],
  ['::ffff:192.0.2.7', '::ffff:192.0.2.1', '192.0.2.7'],
])('%s at %s is host %s', (address, ownAddress, host) => {
  expect(hostOf({ address, ownAddress })).toBe(host);
});

describe('a host', () => {
  test('has twelve, whatever its addresses in its /64, and loses its own oldest to one more', () => {
    expect(enters(connection('192.0.2.7'))).toBe(true);
    for (let n = 1; n <= 12; n += 1) expect(enters(connection(`2001:db8::${n}`))).toBe(true);
    expect(ended).toEqual([]);
    expect(enters(connection('2001:db8::ff'))).toBe(true);
    expect(ended).toEqual(['2001:db8::1']);
  });

  test('that has a session at each gets no further one', () => {
    const all = Array.from({ length: 12 }, (_, n) => connection('192.0.2.7', `${n}`));
    for (const one of all) enters(one);
    for (const one of all) room.logIn(one);
    expect(enters(connection('192.0.2.7'))).toBe(false);
    expect(enters(connection('192.0.2.8'))).toBe(true);
    room.leave(all[3] as Connection);
    expect(enters(connection('192.0.2.7'))).toBe(true);
    expect(ended).toEqual([]);
  });
});

describe('where all are taken', () => {
  test('the oldest without a session gives way', () => {
    const all = Array.from({ length: 32 }, (_, n) => connection(`192.0.2.${n}`, `${n}`));
    for (const one of all) enters(one);
    for (const one of all.slice(0, 2)) room.logIn(one);
    expect(enters(connection('198.51.100.1', 'new'))).toBe(true);
    expect(ended).toEqual(['2']);
    room.endAll();
    expect(ended).toHaveLength(1 + 32);
  });

  test('it is the oldest of the host that has most of them without a session', () => {
    const others = Array.from({ length: 22 }, (_, n) => connection(`192.0.2.${n}`));
    for (const one of others) enters(one);
    for (let n = 0; n < 10; n += 1) enters(connection('203.0.113.9', `flood ${n}`));
    for (let n = 0; n < 9; n += 1) expect(enters(connection(`198.51.100.${n}`))).toBe(true);
    expect(ended).toEqual(Array.from({ length: 9 }, (_, n) => `flood ${n}`));
  });

  test('and each has a session, nobody else gets one', () => {
    for (let n = 0; n < 32; n += 1) {
      const one = connection(`192.0.2.${n}`);
      enters(one);
      room.logIn(one);
    }
    expect(enters(connection('198.51.100.1'))).toBe(false);
    expect(ended).toEqual([]);
  });
});

describe('new connections', () => {
  const come = (addressOf: (n: number) => string): number => {
    let count = 0;
    for (let n = 0; n < 250; n += 1) if (room.enter(connection(addressOf(n)))) count += 1;
    return count;
  };
  const sameHost = (n: number): string => `2001:db8::${n.toString(16)}`;
  const manyHosts = (n: number): string => `192.0.2.${n}`;

  test('of one host are thirty at once, and then five a second', () => {
    expect([come(sameHost), come(sameHost)]).toEqual([30, 0]);
    nowMs += 1_000;
    expect(come(sameHost)).toBe(5);
    nowMs += 3_600_000;
    expect(come(sameHost)).toBe(30);
  });

  test('that a host has too many of take nothing from others', () => {
    let refused = 0;
    for (let n = 0; n < 59; n += 1) {
      for (let flood = 0; flood < 100; flood += 1) room.enter(connection('203.0.113.9'));
      if (!room.enter(connection(`192.0.2.${n}`))) refused += 1;
      nowMs += 50;
    }
    expect(refused).toBe(0);
  });

  test('of all hosts are eighty at once, and then forty a second, for handshakes take time', () => {
    expect([come(manyHosts), come(manyHosts)]).toEqual([80, 0]);
    nowMs += 1_000;
    expect(come(manyHosts)).toBe(40);
    nowMs += 3_600_000;
    expect(come(manyHosts)).toBe(80);
  });

  test('of a host where somebody is logged in come also while others flood', () => {
    const own = connection('198.51.100.1');
    enters(own);
    room.logIn(own);
    room.leave(own);
    come(manyHosts);
    expect(room.enter(connection('198.51.100.2'))).toBe(false);
    expect(room.enter(connection('198.51.100.1'))).toBe(true);
    nowMs += 15 * 60_000;
    come(manyHosts);
    expect(room.enter(connection('198.51.100.1'))).toBe(false);
  });

  test('of ever other hosts take no memory that grows', () => {
    for (let n = 0; n < 20_000; n += 1) {
      nowMs += 10;
      const one = connection(`2001:db8:${(n >> 8).toString(16)}:${(n & 255).toString(16)}::1`);
      if (room.enter(one)) room.leave(one);
      expect(room.sizeOfRecord).toBeLessThan(300);
    }
  });
});
