import type { HistoryChange } from '@relaygate/shared';
import { AGENT, aboutOf, type EntryContent, entriesOf } from './entries';
import { type Facts, isOfSettings, sumOf } from './facts';
import type { HistoryLine } from './history-text';

/** Members of one file. */
type OwnMember = (member: string) => boolean;

const FILES: readonly OwnMember[] = [isOfSettings, (member) => !isOfSettings(member)];

/**
 * What became of the changes that a power cut may have undone or brought back, by what the files hold at a start: the
 * last one, which may have been cut short, and those behind which no write of their file has succeeded. Newest first, as
 * many as it takes are found undone; nothing: none is. What they do not explain a hand has edited.
 */
export function aftermathOf(lines: readonly HistoryLine[], found: Facts): EntryContent[] {
  const last = lines.findLast((line) => changesOf(line).length > 0);
  const refused = new Set(lines.flat().flatMap(({ kind, about }) => (isRefusal(kind) && about ? [about] : [])));
  const isOpen = (line: HistoryLine): boolean => isTakenBack(line) || refused.has(line[0]?.seq ?? 0);
  return FILES.flatMap((isOwn) => {
    let changes: HistoryChange[] = [];
    for (const line of lines.toReversed()) {
      const own = changesOf(line).filter(({ member }) => isOwn(member));
      if (own.length === 0) continue;
      const isCutShort = line === last && line.some(({ about }) => about === undefined);
      if (!isOpen(line) && !isCutShort) return [];
      changes = sumOf([...own, ...changes]);
      const isUndone = changes.every(({ member, from }) => (found.get(member) ?? null) === from);
      if (changes.length > 0 && isUndone) return undone(line, changes);
      if (!isOpen(line)) return [];
    }
    return [];
  });
}

/** `line` is the oldest of those that come to these changes. Where it took a refused change back, that stands all the same. */
function undone(line: HistoryLine, changes: readonly HistoryChange[]): EntryContent[] {
  const back = changes.map(({ member, from, to }) => ({ member, from: to, to: from }));
  const [{ about, aboutLast } = {}] = line;
  const what = isTakenBack(line)
    ? { kind: 'not-confirmed', ...(about && aboutLast ? { about, aboutLast } : {}) }
    : { kind: 'not-in-file', ...aboutOf(line) };
  return entriesOf({ actor: AGENT, ...what }, back);
}

function changesOf(line: HistoryLine): HistoryChange[] {
  return line.flatMap(({ changes }) => changes);
}

/** All that it does is to take a refused change back. */
function isTakenBack(line: HistoryLine): boolean {
  return line.every(({ kind }) => kind === 'not-done');
}

function isRefusal(kind: string): boolean {
  return kind === 'not-done' || kind === 'not-confirmed';
}
