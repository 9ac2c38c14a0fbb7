/**
 * `events.jsonl` in the agent's run folder, which is in memory: a head, then a line for each event. By it the log of this
 * boot outlives the agent. If the agent was killed before it could write, the guard may know the rest (device-watch.ts).
 */
import { type Clock, parserOf, Type } from '@relaygate/shared';
import type { Files } from '../../files/files';
import { jsonIn } from '../../files/json-text';
import type { Log } from '../../runtime/log';
import { problemOf } from '../../runtime/problem';
import { type DeviceClock, wallTime } from '../../runtime/wall-time';
import { EventTime, LoggedEvent } from '../technician/local-messages/log';

/** The oldest ones give way. I15. */
export const KEPT_EVENTS = 500;
/** The file has as many lines again before it is written anew. */
const MAX_LINES = 2 * KEPT_EVENTS;
/** Not for others, because it names people. */
const MODE = 0o600;

const parseHead = parserOf(Type.Object({ bootId: Type.String(), logId: Type.String(), begins: EventTime }));
const parseEvent = parserOf(LoggedEvent);

export interface KeptLog {
  /** Differs in each boot. */
  logId: string;
  /** From then on nothing is missing. */
  begins: EventTime;
  /** The oldest first, at most KEPT_EVENTS. */
  events: readonly LoggedEvent[];
}

export interface EventFileDeps {
  files: Files;
  path: string;
  bootId: string;
  log: Log;
  clock: Clock;
  wallClock: DeviceClock;
}

export class EventFile {
  readonly #deps: EventFileDeps;
  /** As it was found, or a new one. */
  readonly found: KeptLog;
  #log: KeptLog;
  #writtenSeq: number;
  #lines: number;
  /** The file must be written anew, not added to. */
  #mustReplace: boolean;
  #isWriting = false;
  #hasFailed = false;

  private constructor(deps: EventFileDeps, found: KeptLog | null) {
    this.#deps = deps;
    this.found = found ?? newLog(deps);
    this.#log = this.found;
    this.#writtenSeq = seqOf(this.found);
    this.#lines = MAX_LINES;
    // A line that was cut short would spoil the next one.
    this.#mustReplace = true;
  }

  /** A file of another boot, or one that cannot be read, is begun anew. Never rejects. */
  static async open(deps: EventFileDeps): Promise<EventFile> {
    const text = await deps.files.read(deps.path).catch(() => null);
    return new EventFile(deps, text === null ? null : readLog(text, deps.bootId));
  }

  /** Written as soon as the disk takes it; nobody waits for it. */
  keep(log: KeptLog): void {
    this.#log = log;
    if (!this.#isWriting) void this.#write();
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    try {
      while (this.#writtenSeq < seqOf(this.#log)) await this.#writeNow(this.#log);
      this.#hasFailed = false;
    } catch (error) {
      // The next event tries again, with the whole log.
      this.#mustReplace = true;
      if (!this.#hasFailed) this.#deps.log.warn(`the log of events cannot be kept: ${problemOf(error)}`);
      this.#hasFailed = true;
    } finally {
      this.#isWriting = false;
    }
  }

  async #writeNow(log: KeptLog): Promise<void> {
    const { files, path, bootId } = this.#deps;
    const unwritten = log.events.filter(({ seq }) => seq > this.#writtenSeq);
    if (this.#mustReplace || this.#lines + unwritten.length > MAX_LINES) {
      const { logId, begins, events } = log;
      await files.replace(path, textOf([{ bootId, logId, begins }, ...events]), { mode: MODE });
      this.#lines = events.length;
      this.#mustReplace = false;
    } else {
      await files.append(path, textOf(unwritten));
      this.#lines += unwritten.length;
    }
    this.#writtenSeq = seqOf(log);
  }
}

function newLog({ bootId, clock, wallClock }: EventFileDeps): KeptLog {
  const sinceBootMs = Math.round(clock.nowMs());
  return { logId: `${bootId}-${sinceBootMs}`, begins: { at: wallTime(wallClock), sinceBootMs }, events: [] };
}

function seqOf({ events }: KeptLog): number {
  return events.at(-1)?.seq ?? 0;
}

function textOf(lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** null: the log is another boot's, or useless. A last line that is cut short is ignored. */
function readLog(text: string, bootId: string): KeptLog | null {
  const [headText, ...lines] = text.split('\n').slice(0, -1);
  const head = parseHead(jsonIn(headText ?? ''));
  if (!head.ok || head.value.bootId !== bootId) return null;
  const parsed = lines.map((line) => parseEvent(jsonIn(line)));
  const events = parsed.flatMap((event) => (event.ok ? [event.value] : []));
  if (events.length < parsed.length) return null;
  return keptOf({ ...head.value, events });
}

/** Keeps the newest events. If others had to go, the log begins with the first that is left. */
export function keptOf({ logId, begins, events }: KeptLog): KeptLog {
  const kept = events.slice(-KEPT_EVENTS);
  const [first] = kept;
  const hasLost = first !== undefined && events.length > kept.length;
  return { logId, begins: hasLost ? { at: first.at, sinceBootMs: first.sinceBootMs } : begins, events: kept };
}
