/**
 * A device's `history.jsonl`, read by what device-agent/FILES.md says of it and by nothing of the device's own:
 * a fault of its reader would else be one of its judge.
 */
import type { HistoryEntry, HistoryValue } from '@relaygate/shared';

export interface WrittenHistory {
  entries: HistoryEntry[];
  /** What the head and all changes of settings behind it make of the device, by member. */
  facts: Map<string, HistoryValue>;
}

/** The PIN is no setting. */
const isOfPin = (member: string): boolean => member.startsWith('pin.');

/** Throws for a text that is none. null: there is no whole head yet. What has no line feed was cut, and is not there. */
export function writtenHistory(text: string): WrittenHistory | null {
  const [headLine, ...lines] = text.split('\n').slice(0, -1);
  if (headLine === undefined) return null;
  const head: { historyId: string; facts: Record<string, HistoryValue> } = JSON.parse(headLine);
  if (!/^[A-Za-z0-9_-]{16}$/.test(head.historyId)) throw new Error(`no id of a history: ${headLine}`);
  const entries = lines.flatMap((line) => (JSON.parse(line) as { entries: HistoryEntry[] }).entries);
  const unordered = entries.find(({ seq }, n) => n > 0 && seq <= (entries[n - 1]?.seq ?? 0));
  if (unordered) throw new Error(`entry ${unordered.seq} of the history stands behind a later one`);
  const facts = new Map(Object.entries(head.facts));
  for (const { member, to } of entries.flatMap(({ changes }) => changes)) {
    if (isOfPin(member)) continue;
    if (to === null) facts.delete(member);
    else facts.set(member, to);
  }
  return { entries, facts };
}
