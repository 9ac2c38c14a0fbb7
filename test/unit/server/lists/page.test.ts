import { createSecretKey } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { Budgets } from '@relaygate/server/limits/budgets';
import { type PageDeps, pageOf } from '@relaygate/server/lists/page';
import { PageCursors } from '@relaygate/server/lists/page-cursor';
import { MAX_PAGE_ITEMS, MAX_READS_PER_PAGE } from '@relaygate/shared';
import { VirtualClock } from '../../../support/time/virtual-clock';

const cursors = new PageCursors(createSecretKey(Buffer.alloc(32, 7)));
const NAME = { clientId: 'app', list: ['numbers'] };

/** The numbers from 0 to `count`, of which `shows` says which are shown; what is read is noted. */
function numbers(count: number, shows: (n: number) => boolean, burst = 1_000) {
  const clock = new VirtualClock();
  const deps: PageDeps = { cursors, budgets: new Budgets(clock, { burst, perSecond: 1 }) };
  const readings: number[] = [];
  const list = {
    ...NAME,
    async read(after: string | undefined, limit: number) {
      const from = after === undefined ? 0 : Number(after) + 1;
      const rows = Array.from({ length: Math.max(0, Math.min(limit, count - from)) }, (_, n) => from + n);
      readings.push(rows.length);
      return rows;
    },
    positionOf: String,
  };
  const page = (limit?: number, cursor?: string) =>
    pageOf(deps, list, { ...(limit && { limit }), ...(cursor && { cursor }) }, (n) => (shows(n) ? n : undefined));
  return { readings, page, clock };
}

test.each([
  ['all are shown', 230, () => true],
  ['few are', 230, (n: number) => n % 50 === 7],
  ['none is', 230, () => false],
  ['there are none', 0, () => true],
])('the pages are the whole list, each item once, where %s', async (_what, count, shows) => {
  for (const limit of [1, 2, 50, MAX_PAGE_ITEMS]) {
    const { page } = numbers(count, shows);
    const found: number[] = [];
    let cursor: string | undefined;
    do {
      const { items, next } = await page(limit, cursor);
      expect(items.length).toBeLessThanOrEqual(limit);
      found.push(...items);
      cursor = next;
    } while (cursor !== undefined);
    expect(found).toEqual(Array.from({ length: count }, (_, n) => n).filter(shows));
  }
});

test('a page takes a bounded number of readings, whatever is shown', async () => {
  const { page, readings } = numbers(100_000, () => false);
  const { items, next = '' } = await page(5);
  expect([items, readings.length]).toEqual([[], MAX_READS_PER_PAGE]);
  expect(Math.max(...readings)).toBe(MAX_PAGE_ITEMS + 1);
  await page(5, next);
  expect(readings).toHaveLength(2 * MAX_READS_PER_PAGE);
});

test('the last page names no next one, also if it is full', async () => {
  const { page, readings } = numbers(5, () => true);
  expect(await page(5)).toEqual({ items: [0, 1, 2, 3, 4] });
  expect(readings).toEqual([5]);
});

test('a page ends where the budget does, and goes on from there; without any budget it is refused', async () => {
  const { page, clock } = numbers(1_000, (n) => n === 900, 2);
  const { items, next } = await page(5);
  expect(items).toEqual([]);
  await expect(page(5, next)).rejects.toMatchObject({ code: 'too-many-requests', retryAfterSeconds: 1 });
  await clock.advance(2_000);
  expect(cursors.positionOf(NAME, next ?? '')).toBe('106');
  expect((await page(5, next)).next).toBeDefined();
});

test('a cursor is of one list and one client, and no text beside it is taken', async () => {
  const cursor = cursors.textOf(NAME, 'gate-1');
  expect(cursors.positionOf(NAME, cursor)).toBe('gate-1');
  const others = [
    { ...NAME, clientId: 'other' },
    { ...NAME, list: [] },
    { ...NAME, list: ['numbers', 'gate'] },
  ];
  for (const other of others) expect(() => cursors.positionOf(other, cursor)).toThrow(/cursor is none/);
  const another = new PageCursors(createSecretKey(Buffer.alloc(32, 8)));
  expect(() => another.positionOf(NAME, cursor)).toThrow(/cursor is none/);
  for (let n = 0; n < cursor.length; n += 1)
    for (const char of ['', 'A', 'Q', '=', '\u00e9'].filter((one) => one !== cursor[n]))
      expect(() => cursors.positionOf(NAME, cursor.slice(0, n) + char + cursor.slice(n + 1))).toThrow(/cursor is none/);
});
