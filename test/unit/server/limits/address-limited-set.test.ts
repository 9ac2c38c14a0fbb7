import { beforeEach, expect, test } from '@jest/globals';
import { AddressLimitedSet } from '@relaygate/server/limits/address-limited-set';
import { VirtualClock } from '../../../support/time/virtual-clock';

let clock: VirtualClock;
let gone: string[];
let busy: Set<string>;
let items: AddressLimitedSet<string>;
beforeEach(() => {
  clock = new VirtualClock();
  gone = [];
  busy = new Set();
  const mayEvict = (who: string): boolean => !busy.has(who);
  items = new AddressLimitedSet({ clock, maxPerAddress: 3, mayEvict, evict: (who) => gone.push(who) });
});

test('where an address has all of its places, its oldest that may go does, and nobody else', async () => {
  for (const who of ['a1', 'a2', 'a3']) expect(items.add(who, 'a')).toBe(true);
  expect(items.add('b1', 'b')).toBe(true);
  busy.add('a1');
  await clock.advance(1_001);
  expect(items.add('a4', 'a')).toBe(true);
  expect(gone).toEqual(['a2']);
  expect(items.all()).toEqual(['a1', 'a3', 'b1', 'a4']);
});

test('many of one address at once do not push each other out', () => {
  for (const who of ['a1', 'a2', 'a3']) items.add(who, 'a');
  expect(items.add('a4', 'a')).toBe(false);
  expect(gone).toEqual([]);
});

test('of all, the oldest of the address that holds most goes, however new', () => {
  items.add('b1', 'b');
  for (const who of ['a1', 'a2']) items.add(who, 'a');
  expect(items.evictOne()).toBe(true);
  expect(gone).toEqual(['a1']);
});

test('who is known, or gone, holds no place', () => {
  for (const who of ['a1', 'a2', 'a3']) items.add(who, 'a');
  expect(items.delete('a2')).toBe(true);
  expect(items.delete('a2')).toBe(false);
  expect(items.add('a4', 'a')).toBe(true);
  for (const who of ['a1', 'a3', 'a4']) items.delete(who);
  expect([items.size, items.evictOne()]).toEqual([0, false]);
});

test('one item more than the maximum of all addresses evicts the oldest of the address that has the most', () => {
  const bounded = new AddressLimitedSet<string>({
    clock,
    maxPerAddress: 3,
    max: 3,
    mayEvict: () => true,
    evict: (who) => gone.push(who),
  });
  for (const who of ['a1', 'a2', 'b1']) bounded.add(who, who.charAt(0));
  expect(gone).toEqual([]);
  expect(bounded.add('c1', 'c')).toBe(true);
  expect([gone, bounded.all()]).toEqual([['a1'], ['a2', 'b1', 'c1']]);
});
