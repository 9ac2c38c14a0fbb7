/**
 * `history.jsonl`: a head, then one line for all that was entered at once. A line is there as a whole or, cut by a power
 * loss, not at all.
 */
import { HistoryEntry, HistoryValue, parserOf, Type } from '@relaygate/shared';
import { jsonIn } from '../../files/json-text';
import type { Facts } from './facts';

const Head = Type.Object({
  historyId: Type.String({ pattern: '^[A-Za-z0-9_-]{16}$' }),
  /** As it was before the first line. */
  facts: Type.Record('^', HistoryValue),
});
const Line = Type.Object({ entries: Type.Array(HistoryEntry, { minItems: 1 }) });
const parseHead = parserOf(Head);
const parseLine = parserOf(Line);

/** Entered at once, and durable at once. */
export type HistoryLine = readonly HistoryEntry[];

export interface HistoryContent {
  historyId: string;
  /** As it was before the first line. */
  base: Facts;
  lines: HistoryLine[];
  /** False: its end was cut, so nothing may be added to it. */
  isWhole: boolean;
}

export function textOfHead({ historyId, base }: Pick<HistoryContent, 'historyId' | 'base'>): string {
  return `${JSON.stringify({ historyId, facts: Object.fromEntries(base) })}\n`;
}

export function textOfLines(lines: readonly HistoryLine[]): string {
  return lines.map((entries) => `${JSON.stringify({ entries })}\n`).join('');
}

/** null: it is corrupt. A last line that is cut short was never confirmed, and is ignored. */
export function readHistory(text: string): HistoryContent | null {
  const texts = text.split('\n');
  // After the last line break there is nothing, unless the line was cut.
  const rest = texts.pop() ?? '';
  const [headText, ...lineTexts] = texts;
  const head = parseHead(jsonIn(headText ?? ''));
  if (!head.ok) return null;
  const lines: HistoryLine[] = [];
  for (const [n, lineText] of lineTexts.entries()) {
    const line = parseLine(jsonIn(lineText));
    if (line.ok) lines.push(line.value.entries);
    else if (n < lineTexts.length - 1 || rest !== '') return null;
    else return { ...contentOf(head.value), lines, isWhole: false };
  }
  return { ...contentOf(head.value), lines, isWhole: rest === '' };
}

function contentOf({ historyId, facts }: { historyId: string; facts: Record<string, HistoryValue> }): {
  historyId: string;
  base: Facts;
} {
  return { historyId, base: new Map(Object.entries(facts)) };
}
