import { plainLine } from '@relaygate/shared';

/** Small terminals and mails show this many without wrapping. */
const MAX_CHARS = 100;
const GAP = '  ';
const MIN_CHARS = 8;

/** Lines of aligned columns under their headings. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  return new GrowingTable(headings).lines(rows).join('\n');
}

/**
 * A table that is printed in several parts: a column is as wide as its widest cell so far. If the columns do not fit, the
 * widest are cut, with an ellipsis.
 */
export class GrowingTable {
  #widths: number[];
  #headings: readonly string[] | undefined;

  constructor(headings: readonly string[]) {
    this.#headings = headings;
    this.#widths = headings.map(() => 0);
  }

  /** The lines of the next rows. The first part begins with the headings. */
  lines(rows: readonly (readonly string[])[]): string[] {
    const all = [...(this.#headings ? [this.#headings] : []), ...rows].map((row) => row.map(plainLine));
    this.#headings = undefined;
    this.#widths = this.#widths.map((width, column) => all.reduce(widest(column), width));
    const widths = fitting(this.#widths);
    return all.map((row) =>
      row
        .map((text, column) => cell(text, widths[column] ?? 0))
        .join(GAP)
        .trimEnd(),
    );
  }
}

function widest(column: number): (width: number, row: readonly string[]) => number {
  return (width, row) => Math.max(width, row[column]?.length ?? 0);
}

function fitting(widths: readonly number[]): number[] {
  const fitted = [...widths];
  const all = widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
  for (let excess = all - MAX_CHARS; excess > 0; excess -= 1) {
    const widestNow = Math.max(...fitted);
    if (widestNow > MIN_CHARS) fitted[fitted.indexOf(widestNow)] = widestNow - 1;
  }
  return fitted;
}

/** Names and values in two columns. */
export function sheet(lines: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, value]) => `${name.padEnd(width)}${GAP}${plainLine(value)}`).join('\n');
}

function cell(text: string, width: number): string {
  return text.length > width ? `${wholeCharacters(text.slice(0, width - 1))}…`.padEnd(width) : text.padEnd(width);
}

/** Without half a surrogate pair at the end. */
function wholeCharacters(cut: string): string {
  return cut.replace(/[\ud800-\udbff]$/, '');
}
