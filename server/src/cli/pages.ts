import type { CliDeps } from './cli-deps';
import { GrowingTable } from './table';

/** A list that is printed while it is read, one page in memory at a time. */
export interface Listing<Row> {
  /** The rows after `after`, or the first ones. Fewer than `limit` (1..1000) only at the end. */
  page(after: Row | undefined, limit: number): Promise<Row[]>;
  headings: readonly string[];
  cells(row: Row): string[];
  json(row: Row): object;
}

interface ListOptions {
  json?: true;
  /** Prints at most this many rows. */
  limit?: number;
}

const PAGE = 500;

/** With `--json` it prints one array, one element a line. */
export async function printList<Row>(deps: CliDeps, options: ListOptions, listing: Listing<Row>): Promise<void> {
  if (!options.json) return printTable(deps, options, listing);
  let before = '[';
  for await (const rows of pagesOf(listing, options.limit)) {
    if (rows.length > 0) {
      const text = before + rows.map((row) => JSON.stringify(listing.json(row))).join(',\n');
      before = ',\n';
      await deps.write(text);
    }
  }
  await deps.write(before === '[' ? '[]\n' : ']\n');
}

/** With `--json` it prints one document a line, because the list can be long. */
export async function printLines<Row>(deps: CliDeps, options: ListOptions, listing: Listing<Row>): Promise<void> {
  if (!options.json) return printTable(deps, options, listing);
  for await (const rows of pagesOf(listing, options.limit)) {
    await deps.write(rows.map((row) => `${JSON.stringify(listing.json(row))}\n`).join(''));
  }
}

async function printTable<Row>(deps: CliDeps, { limit }: ListOptions, listing: Listing<Row>): Promise<void> {
  const table = new GrowingTable(listing.headings);
  for await (const rows of pagesOf(listing, limit)) {
    const lines = table.lines(rows.map((row) => listing.cells(row)));
    if (lines.length > 0) await deps.write(`${lines.join('\n')}\n`);
  }
}

async function* pagesOf<Row>({ page }: Listing<Row>, limit = Number.MAX_SAFE_INTEGER): AsyncGenerator<Row[]> {
  let left = limit;
  let last: Row | undefined;
  for (;;) {
    const wanted = Math.min(left, PAGE);
    const rows = await page(last, wanted);
    yield rows;
    left -= rows.length;
    if (rows.length < wanted || left === 0) return;
    last = rows.at(-1);
  }
}
