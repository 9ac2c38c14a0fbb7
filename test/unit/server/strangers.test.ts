import { beforeEach, expect, test } from '@jest/globals';
import { Strangers } from '@relaygate/server/strangers';
import { VirtualClock } from '../../support/virtual-clock';

let clock: VirtualClock;
let gone: string[];
let busy: Set<string>;
let strangers: Strangers<string>;
beforeEach(() => {
  clock = new VirtualClock();
  gone = [];
  busy = new Set();
  const mayGo = (who: string): boolean => !busy.has(who);
  strangers = new Strangers({ clock, perAddress: 3, mayGo, sendAway: (who) => gone.push(who) });
});

test('where an address has all of its places, its oldest that may go does, and nobody else', async () => {
  for (const who of ['a1', 'a2', 'a3']) expect(strangers.enter(who, 'a')).toBe(true);
  expect(strangers.enter('b1', 'b')).toBe(true);
  busy.add('a1');
  await clock.advance(1_001);
  expect(strangers.enter('a4', 'a')).toBe(true);
  expect(gone).toEqual(['a2']);
  expect(strangers.all()).toEqual(['a1', 'a3', 'b1', 'a4']);
});

test('many of one address at once do not push each other out', () => {
  for (const who of ['a1', 'a2', 'a3']) strangers.enter(who, 'a');
  expect(strangers.enter('a4', 'a')).toBe(false);
  expect(gone).toEqual([]);
});

test('of all, the oldest of the address that holds most goes, however new', () => {
  strangers.enter('b1', 'b');
  for (const who of ['a1', 'a2']) strangers.enter(who, 'a');
  expect(strangers.sendOneAway()).toBe(true);
  expect(gone).toEqual(['a1']);
});

test('who is known, or gone, holds no place', () => {
  for (const who of ['a1', 'a2', 'a3']) strangers.enter(who, 'a');
  expect(strangers.leave('a2')).toBe(true);
  expect(strangers.leave('a2')).toBe(false);
  expect(strangers.enter('a4', 'a')).toBe(true);
  for (const who of ['a1', 'a3', 'a4']) strangers.leave(who);
  expect([strangers.size, strangers.sendOneAway()]).toEqual([0, false]);
});
