import { plainLine } from '@relaygate/shared';

/** The columns of the plainest terminal; one is left free, because some wrap at the last one. */
const COLUMNS = 79;
/** Two lines are left for the question below. */
export const PAGE_LINES = 22;

/** Signs of print that a plain terminal may not have. */
const PLAIN: readonly [RegExp, string][] = [
  [/[‘’]/g, "'"],
  [/« ?| ?»|[“”]/g, '"'],
];

/** Breaks texts into lines that fit. Signs that would move the cursor, or that nobody sees, are shown by their number. */
export function wrapped(texts: readonly string[]): string[] {
  return texts.flatMap((text) => wrappedOne([...plain(text)]));
}

function plain(text: string): string {
  return plainLine(PLAIN.reduce((left, [signs, sign]) => left.replaceAll(signs, sign), text));
}

/** Breaks at the last space that fits, if there is one; the next lines are indented. */
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
