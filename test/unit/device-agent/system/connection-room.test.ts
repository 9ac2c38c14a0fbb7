import { beforeEach, describe, expect, test } from '@jest/globals';
import { type Connection, ConnectionRoom, hostOf } from '@relaygate/device-agent/system/connection-room';

let room: ConnectionRoom;
let ended: string[];
let nowMs: number;
beforeEach(() => {
  room = new ConnectionRoom();
  ended = [];
  nowMs = 5_000;
});
const connection = (address: string, name = address): Connection => ({
  address,
  hasSession: false,
  end: () => void ended.push(name),
});
/** So slowly that only the room counts. */
const enters = (one: Connection): boolean => {
  nowMs += 1_000;
  return room.enter(one, nowMs);
};

test.each<[string, string]>([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::6', '2001:db8:1:2'],
  ['2001:db8::6', '2001:db8:0:0'],
  ['fe80::1:2:3:4%wlan0', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
])('%s is of host %s', (address, host) => {
  expect(hostOf(address)).toBe(host);
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
    for (const one of all) one.hasSession = true;
    expect(enters(connection('192.0.2.7'))).toBe(false);
    expect(enters(connection('192.0.2.8'))).toBe(true);
    room.leave(all[3] as Connection);
    expect(enters(connection('192.0.2.7'))).toBe(true);
    expect(ended).toEqual([]);
  });
});

test('where all are taken the oldest without a session gives way', () => {
  const all = Array.from({ length: 32 }, (_, n) => connection(`192.0.2.${n}`, `${n}`));
  for (const one of all) enters(one);
  for (const one of all.slice(0, 2)) one.hasSession = true;
  expect(enters(connection('198.51.100.1', 'new'))).toBe(true);
  expect(ended).toEqual(['2']);
  room.endAll();
  expect(ended).toHaveLength(1 + 32);
});

test('forty come at once, and then twenty a second', () => {
  const come = (): number => {
    let count = 0;
    for (let n = 0; n < 100; n += 1) if (room.enter(connection(`192.0.2.${n}`), nowMs)) count += 1;
    return count;
  };
  expect(come()).toBe(40);
  expect(come()).toBe(0);
  nowMs += 1_000;
  expect(come()).toBe(20);
  nowMs += 3_600_000;
  expect(come()).toBe(40);
});
