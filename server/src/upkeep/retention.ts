import {
  type Cancel,
  type Clock,
  isoTime,
  MAX_ROWS_PER_SWEEP_WRITE,
  REFRESH_IDLE_MS,
  type WallClock,
} from '@relaygate/shared';
import type { Log } from '../log/log';

/** Rows that are kept for a time and then removed, because no command, session or link needs them any more. */
export type OldRows =
  /** These are closed, not removed: their devices are not asked any more, and they stay `unknown`. */
  | 'openCommands'
  /** By when they were accepted; open ones stay. */
  | 'commands'
  /** All but the newest, which servers compare with the last one that they saw (I13). */
  | 'deviceRevocations'
  /** Refresh families, by their last use. */
  | 'refreshFamilies'
  /** Of histories that a newer one of the same product has superseded. */
  | 'historyPositions';

/** What a write of a sweep looks at. Times are wall time. */
export interface OldRowsRange {
  /** Rows from before this time are old. */
  beforeMs: number;
  /** Rows from after this time were written by a clock that was ahead; they stay. */
  nowMs: number;
  /** What the write before has answered; 0 at first. */
  afterId: number;
  limit: number;
}

export interface OldRowsRemoved {
  count: number;
  /** The next write goes on behind this row; null: no old row is left. */
  lastId: number | null;
}

export interface RetentionStore {
  /** Removes, or closes, the oldest rows, at most `limit`. */
  removeOld(what: OldRows, range: OldRowsRange): Promise<OldRowsRemoved>;
  /** Wall time of the last sweep of any run that removed what is old; null: there was none. */
  lastSweepMs(): Promise<number | null>;
  recordSweep(atMs: number): Promise<void>;
}

/** In days; 0: for ever. */
export type KeptDays = Readonly<Record<OldRows, number>>;

const DAY_MS = 24 * 3_600_000;
/** Less than an hour, so that rows are removed also if the server never runs for a whole hour. */
export const FIRST_SWEEP_MS = 10 * 60_000;
export const SWEEP_EVERY_MS = 3_600_000;
/** Between two writes of a sweep, so that commands pass. */
const PAUSE_MS = 100;
/** How far the wall clock may have run ahead of the monotonic one since the last sweep. */
const CLOCK_JUMP_MS = 60_000;
/** How long a server may have been away so that the first sweep of a run trusts the clock. */
const AWAY_MS = 3 * DAY_MS;
/** How long rows live after their last use. Only then do their days begin to count. */
const LIVES_MS: Partial<Record<OldRows, number>> = { refreshFamilies: REFRESH_IDLE_MS };

export interface RetentionDeps {
  store: RetentionStore;
  keptDays: KeptDays;
  clock: Clock;
  wallClock: WallClock;
  log: Log;
}

/**
 * Removes old rows while the server runs, in small writes. If the wall clock was set forward, or is days ahead of the last sweep
 * of the run before, one sweep is left out: a clock that is wrong for a moment, or at a start, removes nothing.
 */
export class Retention {
  readonly #deps: RetentionDeps;
  /** Wall time minus monotonic time, at the last sweep. */
  #offsetMs: number;
  #isFirst = true;
  #isStopped = false;
  #cancel: Cancel = () => {};

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
    this.#offsetMs = this.#readOffset();
  }

  start(): void {
    this.#cancel = this.#deps.clock.after(FIRST_SWEEP_MS, () => void this.#sweep());
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async #sweep(): Promise<void> {
    const { clock, log } = this.#deps;
    try {
      if (await this.#isClockTrusted()) await this.#removeAll();
    } catch (err) {
      log.warn({ err }, 'old rows not removed; tried again in an hour');
    }
    if (!this.#isStopped) this.#cancel = clock.after(SWEEP_EVERY_MS, () => void this.#sweep());
  }

  async #removeAll(): Promise<void> {
    const { keptDays, log, store, wallClock } = this.#deps;
    // One time for all: the clock may be set while a long sweep runs.
    const nowMs = wallClock.epochMs();
    await store.recordSweep(nowMs);
    const removed: Partial<Record<OldRows, number>> = {};
    for (const [what, days] of Object.entries(keptDays) as [OldRows, number][]) {
      const count = days === 0 ? 0 : await this.#remove(what, days, nowMs);
      if (count > 0) removed[what] = count;
    }
    const { openCommands, ...rows } = removed;
    if (openCommands !== undefined) log.info({ commands: openCommands }, 'old open commands closed');
    if (Object.keys(rows).length > 0) log.info({ removed: rows }, 'old rows removed');
  }

  async #remove(what: OldRows, days: number, nowMs: number): Promise<number> {
    const { store } = this.#deps;
    const age = { nowMs, beforeMs: nowMs - days * DAY_MS - (LIVES_MS[what] ?? 0) };
    let count = 0;
    for (let afterId = 0; !this.#isStopped; ) {
      const removed = await store.removeOld(what, { ...age, afterId, limit: MAX_ROWS_PER_SWEEP_WRITE });
      count += removed.count;
      if (removed.lastId === null) break;
      afterId = removed.lastId;
      await this.#pause();
    }
    return count;
  }

  /** After a stop the promise never settles, so the sweep ends here. */
  #pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#cancel = this.#deps.clock.after(PAUSE_MS, resolve);
    });
  }

  async #isClockTrusted(): Promise<boolean> {
    const { log, store, wallClock } = this.#deps;
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (this.#hasJumped()) {
      log.warn({}, 'the wall clock was set forward: nothing old is removed this time');
      return false;
    }
    const lastMs = isFirst ? await store.lastSweepMs() : null;
    if (lastMs === null || wallClock.epochMs() - lastMs <= AWAY_MS) return true;
    const fields = { now: isoTime(wallClock.epochMs()), last: isoTime(lastMs) };
    log.warn(fields, 'the wall clock is days ahead of the last run: nothing old is removed for an hour');
    return false;
  }

  #hasJumped(): boolean {
    const before = this.#offsetMs;
    this.#offsetMs = this.#readOffset();
    return this.#offsetMs - before > CLOCK_JUMP_MS;
  }

  #readOffset(): number {
    return this.#deps.wallClock.epochMs() - this.#deps.clock.nowMs();
  }
}
