/** One row of the table. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The figure should be at most this, or at least it; absent where there is nothing to reach. */
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** As Markdown, which reads well as plain text too. */
export function tableOf(title: string, figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [figure.name, numberText(figure), targetText(figure), verdictOf(figure)]);
  const all = [['figure', 'measured', 'target', ''], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]): string => `| ${row.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  const [head = [], ...body] = all;
  return `${[title, '', line(head), rule, ...body.map(line)].join('\n')}\n`;
}

function numberText({ value, unit }: Figure): string {
  return `${rounded(value)} ${unit}`;
}

function targetText({ atMost, atLeast, unit }: Figure): string {
  if (atMost !== undefined) return `at most ${rounded(atMost)} ${unit}`;
  return atLeast === undefined ? '' : `at least ${rounded(atLeast)} ${unit}`;
}

function verdictOf({ value, atMost, atLeast }: Figure): string {
  if (atMost === undefined && atLeast === undefined) return '';
  return value <= (atMost ?? Infinity) && value >= (atLeast ?? -Infinity) ? 'met' : 'NOT MET';
}

/** Three digits that count are more than these measurements can give. */
function rounded(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return Number(value.toFixed(digits)).toLocaleString('en-US');
}
