import { DEFAULT_PAGE_ITEMS, MAX_PAGE_ITEMS, MAX_READS_PER_PAGE } from '@relaygate/shared';
import { type Budgets, tooMany } from '../limits/budgets';
import type { ListName, PageCursors } from './page-cursor';

/** What a client asks for of a list. */
export interface PageQuery {
  /** 1..MAX_PAGE_ITEMS. */
  limit?: number;
  /** `next` of the page before. */
  cursor?: string;
}

export interface Page<Item> {
  items: Item[];
  /** The cursor of the next page. Absent: this is the last one. */
  next?: string;
}

export interface PageDeps {
  cursors: PageCursors;
  /** Readings of lists, by client. */
  budgets: Budgets;
}

/** A list that never moves a row past another one, whatever is added. */
export interface PagedList<Row> extends ListName {
  /** Rejects if the client may not read it. */
  authorise?(): Promise<unknown>;
  /** At most `limit` rows, in their order, after the position; undefined: from the first one. */
  read(after: string | undefined, limit: number): Promise<Row[]>;
  positionOf(row: Row): string;
}

/**
 * The next items of a list. A page is shorter than its limit, and may be empty, where most rows are not shown: it takes a bounded number
 * of readings, each of which the client pays. Fails with `invalid-params` for a cursor of another list, then as
 * `authorise`, then with `too-many-requests`.
 * `itemOf`: undefined if the row is not shown.
 */
export async function pageOf<Row, Item>(
  { cursors, budgets }: PageDeps,
  list: PagedList<Row>,
  { limit = DEFAULT_PAGE_ITEMS, cursor }: PageQuery,
  itemOf: (row: Row) => Item | undefined,
): Promise<Page<Item>> {
  const items: Item[] = [];
  let last = cursor === undefined ? undefined : cursors.positionOf(list, cursor);
  const page = (): Page<Item> => (last === undefined ? { items } : { items, next: cursors.textOf(list, last) });
  await list.authorise?.();
  for (let reads = 0; reads < MAX_READS_PER_PAGE; reads += 1) {
    const waitMs = budgets.of(list.clientId).take();
    if (waitMs > 0 && reads === 0) throw tooMany('read too many pages of lists', waitMs, budgets.limit);
    if (waitMs > 0) break;
    // One more than is shown tells whether anything follows.
    const wanted = (reads === 0 ? limit : MAX_PAGE_ITEMS) + 1;
    const rows = await list.read(last, wanted);
    for (const row of rows) {
      const item = itemOf(row);
      if (item !== undefined && items.length === limit) return page();
      if (item !== undefined) items.push(item);
      last = list.positionOf(row);
    }
    if (rows.length < wanted) return { items };
  }
  return page();
}
