import type { Clock } from '@relaygate/shared';
import type { Log } from '../../runtime/log';
import { type DeviceClock, wallTime } from '../../runtime/wall-time';
import type { EventKind, LoggedEvent, LogReply } from '../technician/local-messages/log';
import { type EventFile, type KeptLog, keptOf } from './event-file';
import type { Happened } from './happened';

/** Requests that wait for the next event; one more is answered at once. I15. */
const MAX_WAITING = 64;
/**
 * How many numbers a new agent skips: a killed agent may have shown events that it had not written yet, and no number
 * stands for two events.
 */
const UNWRITTEN_EVENTS = 100;

export interface EventLogDeps {
  clock: Clock;
  wallClock: DeviceClock;
  /** Keeps the log for the next agent of this boot. */
  file: Pick<EventFile, 'found' | 'keep'>;
  log: Log;
}

/** The log of what has happened on this device in this boot, for people: in memory, and bounded. */
export class EventLog {
  readonly #deps: EventLogDeps;
  #kept: KeptLog;
  #lastSeq: number;
  readonly #waiting = new Set<() => void>();

  constructor(deps: EventLogDeps) {
    this.#deps = deps;
    this.#kept = deps.file.found;
    const lastFound = this.#kept.events.at(-1);
    this.#lastSeq = lastFound ? lastFound.seq + UNWRITTEN_EVENTS : 0;
  }

  add(kind: EventKind, what: Happened): void {
    this.#add(kind, what, this.#deps.clock.nowMs());
  }

  /** Logs what somebody has done, in the program's log too. */
  report(kind: EventKind, what: Happened): void {
    this.add(kind, what);
    this.#deps.log.info(what.text);
  }

  /** Logs what happened at `atMs`, on CLOCK_MONOTONIC, unless it is logged already, or was before the log begins. */
  addOnce(kind: EventKind, what: Happened, atMs = this.#deps.clock.nowMs()): void {
    const { begins, events } = this.#kept;
    const sinceBootMs = Math.round(atMs);
    if (atMs < begins.sinceBootMs) return;
    const isLogged = events.some(
      (event) => event.sinceBootMs === sinceBootMs && event.kind === kind && event.text === what.text,
    );
    if (!isLogged) this.#add(kind, what, atMs);
  }

  /**
   * Logs what became of these commands, once, whoever knows it first. `atMs`: when they were through, on CLOCK_MONOTONIC;
   * what was through before the log begins is not logged.
   */
  addOutcome(commandIds: readonly string[], what: Happened, atMs = this.#deps.clock.nowMs()): void {
    if (atMs < this.#kept.begins.sinceBootMs) return;
    const isLogged = this.#kept.events.some((event) => event.commandIds?.some((id) => commandIds.includes(id)));
    if (!isLogged) this.#add('command', what, atMs, commandIds);
  }

  /** As `addOutcome`, in the program's log too. */
  logOutcome(commandIds: readonly string[], what: Happened): void {
    this.addOutcome(commandIds, what);
    this.#deps.log.info(what.text);
  }

  /** The newest events, at most `limit`, the oldest of them first. */
  newest(limit: number): LogReply {
    return this.#reply(this.#kept.events.slice(-limit));
  }

  /**
   * The first events after `seq` of that log, at most `limit`; of another log the reader knows nothing and gets all. If
   * there are none, it waits up to `waitMs`.
   */
  async after(logId: string, seq: number, limit: number, waitMs: number): Promise<LogReply> {
    const isThis = logId === this.#kept.logId;
    const found = (): LoggedEvent[] => this.#kept.events.filter((event) => !isThis || event.seq > seq).slice(0, limit);
    if (found().length === 0 && waitMs > 0 && this.#waiting.size < MAX_WAITING) await this.#next(waitMs);
    return this.#reply(found());
  }

  #add(kind: EventKind, what: Happened, atMs: number, commandIds: readonly string[] = []): void {
    const { clock, wallClock, file } = this.#deps;
    const { events } = this.#kept;
    const time = { at: wallTime(wallClock, clock.nowMs() - atMs), sinceBootMs: Math.round(atMs) };
    this.#lastSeq += 1;
    const event = {
      seq: this.#lastSeq,
      ...time,
      kind,
      ...what,
      ...(commandIds.length > 0 ? { commandIds: [...commandIds] } : {}),
    };
    this.#kept = keptOf({ ...this.#kept, events: [...events, event] });
    file.keep(this.#kept);
    for (const wake of [...this.#waiting]) wake();
  }

  #reply(events: LoggedEvent[]): LogReply {
    const { logId, begins } = this.#kept;
    return { logId, begins: { ...begins, seq: this.#kept.events[0]?.seq ?? 1 }, events };
  }

  #next(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel();
        this.#waiting.delete(wake);
        resolve();
      };
      const cancel = this.#deps.clock.after(waitMs, wake);
      this.#waiting.add(wake);
    });
  }
}
