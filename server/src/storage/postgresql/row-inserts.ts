import type { SqlValue } from '../sql';

/** Each number of rows is a statement of its own, and each statement is prepared once: so there are few. */
const ROWS_AT_ONCE = [16, 8, 4, 2, 1];

const INSERTS = new Map<string, string>();

/** All rows in their order, by few statements. `insert`: as for `sendRows`, of one row. */
export function* insertsOf(
  insert: string,
  rows: readonly (readonly SqlValue[])[],
): Iterable<{ text: string; values: readonly SqlValue[] }> {
  let done = 0;
  for (const count of ROWS_AT_ONCE) {
    for (; rows.length - done >= count; done += count) {
      yield { text: insertOf(insert, count), values: rows.slice(done, done + count).flat() };
    }
  }
}

/** `insert` with the parameters of so many rows. */
function insertOf(insert: string, rows: number): string {
  const key = `${rows} ${insert}`;
  const text = INSERTS.get(key) ?? withRows(insert, rows);
  INSERTS.set(key, text);
  return text;
}

function withRows(insert: string, rows: number): string {
  const columns = insert.match(/\$\d+/g)?.length ?? 0;
  const more = Array.from({ length: rows - 1 }, (_, row) => {
    const parameters = Array.from({ length: columns }, (_, column) => `$${(row + 1) * columns + column + 1}`);
    return `, (${parameters.join(', ')})`;
  });
  return insert + more.join('');
}
