import type { HistoryChange } from '@relaygate/shared';
import { AGENT, aboutOf, type EntryContent, entriesOf } from './entries';
import { changesBetween, type Facts, isOfSettings, sumOf } from './facts';
import type { HistoryLine } from './history-text';

/** Members of one file. */
type OwnMember = (member: string) => boolean;

const FILES: readonly OwnMember[] = [isOfSettings, (member) => !isOfSettings(member)];

/**
 * Finds what became of changes that a power cut may have undone or brought back, by what the files hold at a start. The
 * entries come to `facts`. In question are the last entry, which may have been cut short, and those after which no write of
 * their file has succeeded. From the newest on, as many count as undone as explain the difference. What they do not explain
 * somebody has edited by hand.
 */
export function aftermathOf(lines: readonly HistoryLine[], facts: Facts, found: Facts): EntryContent[] {
  const last = lines.findLast((line) => changesIn(line).length > 0);
  const refused = new Set(lines.flat().flatMap(({ kind, about }) => (isRefusal(kind) && about ? [about] : [])));
  const isOpen = (line: HistoryLine): boolean => isTakenBack(line) || refused.has(line[0]?.seq ?? 0);
  const isCutShort = (line: HistoryLine): boolean =>
    line === last && !isOpen(line) && line.some(({ about }) => about === undefined);
  return FILES.flatMap((isOwn) => {
    const differing = changesBetween(facts, found, isOwn);
    let changes: HistoryChange[] = [];
    let open: HistoryChange[] = [];
    let cutShort: EntryContent[] = [];
    let partly: EntryContent[] | null = null;
    for (const line of lines.toReversed()) {
      const own = changesIn(line).filter(({ member }) => isOwn(member));
      if (own.length === 0) continue;
      if (!isOpen(line) && !isCutShort(line)) break;
      changes = sumOf([...own, ...changes]);
      // Nobody got an answer to it, so it gets entries of its own.
      if (isCutShort(line)) cutShort = undone(line, sumOf(own));
      else open = sumOf([...own, ...open]);
      const isUndone = changes.every(({ member, from }) => (found.get(member) ?? null) === from);
      if (changes.length === 0 || !isUndone) continue;
      const became = [...cutShort, ...undone(line, open)];
      if (differing.every(({ member }) => changes.some((change) => change.member === member))) return became;
      partly ??= became;
    }
    return partly ?? [];
  });
}

/**
 * `line` is the oldest of the lines that come to these changes. If it took a refused change back, that stands all the same.
 */
function undone(line: HistoryLine, changes: readonly HistoryChange[]): EntryContent[] {
  const back = changes.map(({ member, from, to }) => ({ member, from: to, to: from }));
  const [{ about, aboutLast } = {}] = line;
  const what = isTakenBack(line)
    ? { kind: 'not-confirmed', ...(about && aboutLast ? { about, aboutLast } : {}) }
    : { kind: 'not-in-file', ...aboutOf(line) };
  return entriesOf({ actor: AGENT, ...what }, back);
}

function changesIn(line: HistoryLine): HistoryChange[] {
  return line.flatMap(({ changes }) => changes);
}

/** True if the line only takes a refused change back. */
function isTakenBack(line: HistoryLine): boolean {
  return line.every(({ kind }) => kind === 'not-done');
}

function isRefusal(kind: string): boolean {
  return kind === 'not-done' || kind === 'not-confirmed';
}
