import { expect, test } from '@jest/globals';
import { covers, lastLookMs, lostWithin, newRecord, noteLook, noteLost, STALL } from '../../support/time/stall-record';

const PID = 42;

test('of a stall counts what lies within the window', () => {
  const record = newRecord();
  noteLost(record, STALL, { fromMs: 1_010, toMs: 1_310 }, 300);
  const lost = (fromMs: number, toMs: number) => lostWithin(record, STALL, { fromMs, toMs });
  expect(lost(0, 5_000)).toBe(300);
  expect(lost(1_110, 5_000)).toBe(200);
  expect(lost(0, 1_110)).toBe(100);
  expect(lost(1_310, 5_000)).toBe(0);
});

test('of a wait that may have been anywhere between two looks counts no more than it lasted, and than the window has', () => {
  const record = newRecord();
  noteLost(record, PID, { fromMs: 1_000, toMs: 1_010 }, 3);
  const lost = (fromMs: number, toMs: number) => lostWithin(record, PID, { fromMs, toMs });
  expect(lost(0, 5_000)).toBe(3);
  expect(lost(1_005, 5_000)).toBe(3);
  expect(lost(1_009, 5_000)).toBe(1);
  expect(lost(1_003, 1_005)).toBe(2);
});

test('of many counts no more than the window has', () => {
  const record = newRecord();
  for (let n = 0; n < 10; n += 1) noteLost(record, PID, { fromMs: 1_000, toMs: 1_010 }, 8);
  expect(lostWithin(record, PID, { fromMs: 1_000, toMs: 1_010 })).toBe(10);
});

test('tells each one’s own', () => {
  const record = newRecord();
  noteLost(record, PID, { fromMs: 1_000, toMs: 1_010 }, 8);
  expect(lostWithin(record, STALL, { fromMs: 0, toMs: 5_000 })).toBe(0);
  expect(lostWithin(record, PID + 1, { fromMs: 0, toMs: 5_000 })).toBe(0);
});

test('covers what lies between its first look and its last, and before the first one nothing', () => {
  const record = newRecord();
  expect(covers(record, { fromMs: 1, toMs: 2 })).toBe(false);
  noteLook(record, 1_000);
  noteLook(record, 2_000);
  expect(lastLookMs(record)).toBe(2_000);
  expect(covers(record, { fromMs: 1_000, toMs: 2_000 })).toBe(true);
  expect(covers(record, { fromMs: 999, toMs: 2_000 })).toBe(false);
  expect(covers(record, { fromMs: 1_000, toMs: 2_001 })).toBe(false);
});

test('forgets the oldest of very many: they excuse nobody', () => {
  const record = newRecord();
  for (let n = 1; n <= 70_000; n += 1) noteLost(record, STALL, { fromMs: n * 100 - 10, toMs: n * 100 }, 10);
  expect(lostWithin(record, STALL, { fromMs: 0, toMs: 1_000 })).toBe(0);
  expect(lostWithin(record, STALL, { fromMs: 0, toMs: 7_000_000 })).toBe(655_360);
});
