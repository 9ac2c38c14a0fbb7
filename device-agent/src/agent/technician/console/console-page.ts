import { plainLine } from '@relaygate/shared';

/** Of a terminal that can do nothing: one column is left free, for some wrap at the last one. */
const COLUMNS = 79;
/** Two lines are left for the question below. */
export const PAGE_LINES = 22;

/** Signs of print that a plain terminal may not have. */
const PLAIN: readonly [RegExp, string][] = [
  [/[‘’]/g, "'"],
  [/« ?| ?»|[“”]/g, '"'],
];

/** Lines that fit, out of texts of others too: what would move the cursor, or is not to be seen, is shown by its number. */
export function wrapped(texts: readonly string[]): string[] {
  return texts.flatMap((text) => wrappedOne([...plain(text)]));
}

function plain(text: string): string {
  return plainLine(PLAIN.reduce((left, [signs, sign]) => left.replaceAll(signs, sign), text));
}

/** At the last space that fits, where there is one; what goes on is indented. */
function wrappedOne(chars: readonly string[]): string[] {
  const lines: string[] = [];
  let rest = chars;
  while (rest.length > COLUMNS) {
    const space = rest.slice(0, COLUMNS + 1).lastIndexOf(' ');
    const end = space > COLUMNS / 2 ? space : COLUMNS;
    lines.push(rest.slice(0, end).join(''));
    rest = [' ', ' ', ...rest.slice(rest[end] === ' ' ? end + 1 : end)];
  }
  return [...lines, rest.join('')];
}

/** A column's cell: never wider, so that the next one stands where it should. */
export function cell(text: string, width: number): string {
  const chars = [...plainLine(text)];
  return (chars.length > width ? [...chars.slice(0, width - 1), '~'] : chars).join('').padEnd(width);
}
