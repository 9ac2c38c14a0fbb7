/** The last revision of each writer that somebody has seen: of a writer that it does not name, none. */
export type Cursor = ReadonlyMap<number, number>;

/** The highest number of writers in a cursor. Each node or program that ever wrote is a writer. */
const MAX_WRITERS = 1_000;
const PAIR = /^(0|[1-9]\d{0,15})\.(0|[1-9]\d{0,15})$/;
/** The text of a cursor without a writer, because an empty text is easily taken for no cursor. */
const NOTHING_SEEN = '0.0';

/** For programs that keep it: `1.4501-2.17`, which needs no escaping in an address or a header. */
export function cursorText(cursor: Cursor): string {
  const pairs = [...cursor].sort(([one], [other]) => one - other).map(([writer, revision]) => `${writer}.${revision}`);
  return pairs.length === 0 ? NOTHING_SEEN : pairs.join('-');
}

/** Undefined if it is none. */
export function parseCursor(text: string): Cursor | undefined {
  const pairs = text.split('-', MAX_WRITERS + 1).map((pair) => PAIR.exec(pair));
  const seen = new Map<number, number>();
  for (const pair of pairs) {
    if (!pair) return undefined;
    const [writer, revision] = [Number(pair[1]), Number(pair[2])];
    if (!Number.isSafeInteger(writer) || !Number.isSafeInteger(revision)) return undefined;
    if (revision > 0) seen.set(writer, revision);
  }
  return pairs.length > MAX_WRITERS ? undefined : seen;
}

/** True if both name the same revision of each writer. */
export function isSame(one: Cursor, other: Cursor): boolean {
  return one.size === other.size && [...one].every(([writer, revision]) => other.get(writer) === revision);
}
