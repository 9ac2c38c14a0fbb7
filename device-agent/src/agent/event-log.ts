import type { Clock } from '@relaygate/shared';
import type { Log } from '../program/log';
import { type DeviceClock, wallTime } from '../program/wall-time';
import type { EventKind, LoggedEvent, LogReply } from './local-messages/log';

/** The oldest ones give way. I15. */
export const KEPT_EVENTS = 500;
/** Requests that wait for the next event; one more is answered at once. I15. */
const MAX_WAITING = 64;

export interface EventLogPorts {
  clock: Clock;
  wallClock: DeviceClock;
  /** Another one for each start of the agent. */
  logId: string;
  log: Log;
}

/** What has happened on this device since the agent started, for people: in memory, and bounded. */
export class EventLog {
  readonly #ports: EventLogPorts;
  #events: LoggedEvent[] = [];
  #lastSeq = 0;
  readonly #waiting = new Set<() => void>();

  constructor(ports: EventLogPorts) {
    this.#ports = ports;
  }

  add(kind: EventKind, text: string): void {
    const { clock, wallClock } = this.#ports;
    this.#lastSeq += 1;
    const event = { seq: this.#lastSeq, at: wallTime(wallClock), sinceBootMs: Math.round(clock.nowMs()), kind, text };
    this.#events = [...this.#events, event].slice(-KEPT_EVENTS);
    for (const wake of [...this.#waiting]) wake();
  }

  /** What somebody has done stands in the program's log, too. */
  tell(kind: EventKind, text: string): void {
    this.add(kind, text);
    this.#ports.log.info(text);
  }

  /** The newest ones, at most `limit`, the oldest of them first. */
  newest(limit: number): LogReply {
    return this.#reply(this.#events.slice(-limit));
  }

  /**
   * The first ones after `seq` of that log, at most `limit`; of another log nothing is known, so all are after it. Where
   * there are none it waits up to `waitMs`.
   */
  async after(logId: string, seq: number, limit: number, waitMs: number): Promise<LogReply> {
    const isThis = logId === this.#ports.logId;
    const found = (): LoggedEvent[] => this.#events.filter((event) => !isThis || event.seq > seq).slice(0, limit);
    if (found().length === 0 && waitMs > 0 && this.#waiting.size < MAX_WAITING) await this.#next(waitMs);
    return this.#reply(found());
  }

  #reply(events: LoggedEvent[]): LogReply {
    return { logId: this.#ports.logId, events };
  }

  #next(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel();
        this.#waiting.delete(wake);
        resolve();
      };
      const cancel = this.#ports.clock.after(waitMs, wake);
      this.#waiting.add(wake);
    });
  }
}
