/** Deliberate faults in what becomes of a technician's deeds in the device's history, and on its way to the server. */
import type { Events } from '@relaygate/shared';
import { HISTORY_PATH } from '../machines/card';
import type { Sabotage } from './sabotage';

/** `kept`: the part of the lines that comes to the disk; null: nothing does, and nobody is told. */
function throughHistory(kept: (line: string) => string | null): Sabotage {
  return {
    agentFiles: (files) => ({
      ...files,
      async append(path, text, options) {
        if (path !== HISTORY_PATH) return files.append(path, text, options);
        const lines = text.split('\n').flatMap((line) => (line === '' ? [] : (kept(line) ?? [])));
        if (lines.length > 0) await files.append(path, lines.map((line) => `${line}\n`).join(''), options);
      },
    }),
  };
}

/** Commands are called entered, and are not. */
export function entersNoCommands(): Sabotage {
  return throughHistory((line) => (line.includes('"outcome"') ? null : line));
}

/** Changes are entered behind their beginning: they are called durable, and wait in a cache. */
export function entersChangesLater(): Sabotage {
  const laterMs = 3_000;
  return {
    agentFiles: (files, { scheduler }) => ({
      ...files,
      async append(path, text, options) {
        if (path !== HISTORY_PATH) return files.append(path, text, options);
        scheduler.in(laterMs, () => void files.append(path, text, options).catch(() => {}));
      },
    }),
  };
}

/** A change that was refused stays entered as if it had been made. */
export function takesNothingBack(): Sabotage {
  return throughHistory((line) => (line.includes('"about"') ? null : line));
}

/** What was refused is entered as executed. */
export function callsRefusalsDone(): Sabotage {
  return throughHistory((line) => line.replaceAll('"outcome":"refused"', '"outcome":"executed"'));
}

/** `tell`: the entries as they go on their way; null: none do, and nobody asks again. */
function onTheWay(tell: (events: Events) => Events | null): Sabotage {
  return {
    agentLink: () => ({
      sent(text) {
        if (!text.startsWith('{"type":"events"')) return text;
        const events: Events = JSON.parse(text);
        const passed = events.entries.length === 0 ? events : tell(events);
        return passed && JSON.stringify(passed);
      },
    }),
  };
}

/** The server never hears what people did. */
export function tellsNoHistory(): Sabotage {
  return onTheWay(() => null);
}

/** And hears that somebody else did it. */
export function blamesOthers(): Sabotage {
  return onTheWay((events) => ({ ...events, entries: events.entries.map((entry) => ({ ...entry, actor: 'nobody' })) }));
}

/** How far a history is kept is counted anew on each link. */
export function keepsHistoriesAgain(): Sabotage {
  return {
    storage: (storage) => ({
      ...storage,
      keepHistory: (productLogin, epoch, report) =>
        storage.keepHistory(productLogin, epoch, { ...report, historyId: String(epoch).padStart(16, 'A') }),
    }),
  };
}

/** Of entries that come at once the last is kept first. */
export function keepsHistoriesBackwards(): Sabotage {
  const keptUpTo = new Map<string, number>();
  return {
    storage: (storage) => ({
      ...storage,
      async keepHistory(productLogin, epoch, { historyId, entries, atMs }) {
        const before = keptUpTo.get(historyId) ?? 0;
        for (const entry of entries.filter(({ seq }) => seq > before).toReversed()) {
          const ofItsOwn = { historyId: String(entry.seq).padStart(16, historyId), entries: [entry], atMs };
          if ((await storage.keepHistory(productLogin, epoch, ofItsOwn)) === undefined) return undefined;
        }
        const upTo = Math.max(before, entries.at(-1)?.seq ?? 0);
        keptUpTo.set(historyId, upTo);
        return upTo;
      },
    }),
  };
}
