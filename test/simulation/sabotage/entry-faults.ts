/** Deliberate faults in what a device's history says of presses. */
import { HISTORY_PATH } from '../machines/card';
import { WALL_START_MS } from '../machines/server-node';
import type { Sabotage } from './sabotage';

interface Entry {
  kind: string;
  numOutput?: number;
  bootMs: number;
  atMs: number | null;
  outcome?: string;
  reason?: string;
}

/** `kept`: what comes to the disk of an entry about a button; `startedMs`: of its agent, on the wall clock. null: nothing. */
function throughEntries(kept: (entry: Entry, startedMs: number) => Entry | null): Sabotage {
  return {
    agentFiles(files, { scheduler }) {
      const startedMs = WALL_START_MS + scheduler.nowMs;
      const passed = (line: string): string[] => {
        if (!line.includes('"kind":"button"')) return [line];
        const { entries, ...rest }: { entries: Entry[] } = JSON.parse(line);
        const left = entries.flatMap((entry) => (entry.kind === 'button' ? (kept(entry, startedMs) ?? []) : entry));
        return left.length > 0 ? [JSON.stringify({ ...rest, entries: left })] : [];
      };
      const all = (text: string): string => text.split('\n').flatMap(passed).join('\n');
      return {
        ...files,
        append: (path, text, options) => files.append(path, path === HISTORY_PATH ? all(text) : text, options),
        replace: (path, text, options) => files.replace(path, path === HISTORY_PATH ? all(text) : text, options),
      };
    },
  };
}

/** Presses are called entered, and are not. */
export function losesPresses(): Sabotage {
  return throughEntries(() => null);
}

/** A press that came while no agent was there is called entered, and is not. */
export function entersNoEarlierPresses(): Sabotage {
  return throughEntries((entry, startedMs) => ((entry.atMs ?? startedMs) < startedMs ? null : entry));
}

/** Presses that were refused are entered as executed. */
export function callsRefusedPressesDone(): Sabotage {
  return throughEntries(({ reason, ...entry }) =>
    entry.outcome === 'refused' ? { ...entry, outcome: 'executed' } : { ...entry, ...(reason ? { reason } : {}) },
  );
}

/** Why they were refused is entered as something else. */
export function entersOtherReasons(): Sabotage {
  return throughEntries((entry) => (entry.outcome === 'refused' ? { ...entry, reason: 'journal-failed' } : entry));
}

/** One press less is counted as missing than the guard has forgotten. */
export function countsOneLess(): Sabotage {
  return throughEntries((entry) => {
    const [, count] = /^presses-missing-(\d+)$/.exec(entry.reason ?? '') ?? [];
    return count ? { ...entry, reason: `presses-missing-${Number(count) - 1}` } : entry;
  });
}

/** An agent does not know how far the one before it has come, where its guard has not heard of that. */
export function entersPressesAgain(): Sabotage {
  return {
    agentFiles: (files) => ({
      ...files,
      async read(path) {
        const text = await files.read(path);
        return path === HISTORY_PATH ? (text?.replaceAll('"pressSeq"', '"formerSeq"') ?? null) : text;
      },
    }),
  };
}
