import { type HistoryChange, type HistoryEntry, MAX_EVENT_CHANGES } from '@relaygate/shared';
import { outputOf, sumOf } from './facts';
import type { HistoryLine } from './history-text';

/** Who is named as the author of what the agent finds out by itself. */
export const AGENT = 'relaygate-agent';

/** An entry before it has its number and its time. */
export type EntryContent = Omit<HistoryEntry, 'seq' | 'atMs' | 'bootId' | 'bootMs'>;

/** When something is entered. */
export interface Moment {
  bootId: string;
  /** CLOCK_MONOTONIC. */
  bootMs: number;
  /** Wall time; null: the clock was not set. */
  atMs: number | null;
}

/** The changes as entries of one output each, as many as needed: an entry must fit into a frame of the link. */
export function entriesOf(
  about: Omit<EntryContent, 'changes' | 'numOutput'>,
  changes: readonly HistoryChange[],
): EntryContent[] {
  const outputs = new Set(changes.map(({ member }) => outputOf(member)));
  return [...outputs].flatMap((numOutput) => {
    const own = changes.filter(({ member }) => outputOf(member) === numOutput);
    return Array.from({ length: Math.ceil(own.length / MAX_EVENT_CHANGES) }, (_, part) => ({
      ...about,
      ...(numOutput === undefined ? {} : { numOutput }),
      changes: own.slice(part * MAX_EVENT_CHANGES, (part + 1) * MAX_EVENT_CHANGES),
    }));
  });
}

export function newEntries(
  contents: readonly EntryContent[],
  firstSeq: number,
  { bootId, bootMs, atMs }: Moment,
): HistoryLine {
  return contents.map((entry, n) => ({ seq: firstSeq + n, ...entry, atMs, bootId, bootMs: Math.round(bootMs) }));
}

/** Entries that say that all of this line is as it was before. */
export function takenBack(line: HistoryLine, why: Pick<EntryContent, 'actor' | 'kind' | 'reason'>): EntryContent[] {
  const changes = sumOf(line.flatMap((entry) => entry.changes));
  const back = changes.map(({ member, from, to }) => ({ member, from: to, to: from }));
  const about = { ...why, ...aboutOf(line) };
  const { numOutput } = line[0] ?? {};
  const whole = { ...about, ...(numOutput === undefined ? {} : { numOutput }), changes: [] };
  return back.length > 0 ? entriesOf(about, back) : [whole];
}

/** The newest change of this member that no later one has taken back; empty: none is kept. */
export function standingChange(lines: readonly HistoryLine[], member: string): HistoryLine {
  const takenBackSeqs = new Set<number>();
  for (const line of lines.toReversed()) {
    // If a change was taken back, what it had taken back stands again.
    if (takenBackSeqs.has(line[0]?.seq ?? 0)) continue;
    const own = line.filter(({ about }) => about === undefined);
    if (own.some(({ changes }) => changes.some((one) => one.member === member))) return own;
    for (const { kind, about } of line) if (kind === 'not-done' && about !== undefined) takenBackSeqs.add(about);
  }
  return [];
}

export function aboutOf(line: HistoryLine): Pick<HistoryEntry, 'about' | 'aboutLast'> {
  const [first, last] = [line[0], line.at(-1)];
  return first && last ? { about: first.seq, aboutLast: last.seq } : {};
}
