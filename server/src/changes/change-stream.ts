import { type Cancel, type Clock, MAX_CHANGE_LISTENERS, RelaygateError } from '@relaygate/shared';
import { DATABASE_RETRY_MS } from '../database-retry';
import type { Log } from '../log/log';
import type { Change, ChangePage, ChangeStore } from './change';
import { type Cursor, isSame } from './cursor';

/** So many changes of each writer are read at once; a listener holds no more. */
export const CHANGES_PER_PAGE = 64;
/** Between two readings, however many listeners there are: commands need the same thread. */
const READ_EVERY_MS = 5;
/** How often the database is asked for what other processes have changed. */
const ASK_EVERY_MS = 250;

/**
 * Takes some changes. More come after the promise has resolved; if it rejects, the same come again. `cursor`: behind these changes,
 * for `listen` after a restart.
 */
export type TakeChanges = (changes: readonly Change[], cursor: Cursor) => void | Promise<void>;

interface Listener {
  take: TakeChanges;
  cursor: Cursor;
  cancelRetry: Cancel;
}

/**
 * What changes in the database, for any number of listeners, each from its own cursor. Everything is read from the database, so
 * that a lost wake-up is no gap. INVARIANTS: a listener takes one page at a time (I15); a listener that is slow or fails delays no
 * other; there is at most one reading in `READ_EVERY_MS`, which serves all listeners that have the same cursor.
 */
export class ChangeStream {
  readonly #store: ChangeStore;
  readonly #clock: Clock;
  readonly #log: Log;
  /** All of them. A listener that is neither due nor waiting is taking changes. */
  readonly #listeners = new Set<Listener>();
  /** Those for which the database is read next, the one that waits longest first. */
  readonly #due = new Set<Listener>();
  /** Those that have seen everything. */
  readonly #waiting = new Set<Listener>();
  #cancelRead: Cancel = () => {};
  #readAtMs = Number.POSITIVE_INFINITY;
  #lastReadMs = Number.NEGATIVE_INFINITY;
  #askedAtMs = Number.NEGATIVE_INFINITY;
  #isReading = false;
  #isWoken = false;
  #isFailing = false;

  constructor(store: ChangeStore, clock: Clock, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    store.onCommit(() => this.#wake());
  }

  /** Behind all changes so far. Whoever reads the present state and then listens takes the cursor first. */
  cursor(): Promise<Cursor> {
    return this.#store.changeCursor();
  }

  /** Fails with `too-many-requests`. */
  listen(from: Cursor, take: TakeChanges): Cancel {
    if (this.#listeners.size >= MAX_CHANGE_LISTENERS) {
      throw new RelaygateError('too-many-requests', 'Too many programs listen for changes.', { retryAfterSeconds: 60 });
    }
    const listener: Listener = { take, cursor: from, cancelRetry: () => {} };
    this.#listeners.add(listener);
    this.#makeDue(listener);
    return () => this.#remove(listener);
  }

  stop(): void {
    for (const listener of this.#listeners) this.#remove(listener);
  }

  #remove(listener: Listener): void {
    listener.cancelRetry();
    for (const set of [this.#listeners, this.#due, this.#waiting]) set.delete(listener);
    if (this.#listeners.size === 0) this.#cancelNext();
  }

  #wake(): void {
    this.#isWoken = true;
    if (this.#waiting.size === 0) return;
    this.#makeAllDue();
    this.#readIn(0);
  }

  #makeAllDue(): void {
    this.#askedAtMs = this.#clock.nowMs();
    for (const listener of this.#waiting) this.#due.add(listener);
    this.#waiting.clear();
  }

  #makeDue(listener: Listener): void {
    if (!this.#listeners.has(listener)) return;
    this.#due.add(listener);
    this.#readIn(0);
  }

  /** Does nothing if a reading comes sooner or runs now: its end calls this again. */
  #readIn(delayMs: number): void {
    const nowMs = this.#clock.nowMs();
    const atMs = Math.max(nowMs + delayMs, this.#lastReadMs + READ_EVERY_MS);
    if (this.#isReading || atMs >= this.#readAtMs) return;
    this.#cancelNext();
    this.#readAtMs = atMs;
    this.#cancelRead = this.#clock.after(atMs - nowMs, () => void this.#readNext());
  }

  #cancelNext(): void {
    this.#cancelRead();
    this.#readAtMs = Number.POSITIVE_INFINITY;
  }

  async #readNext(): Promise<void> {
    this.#readAtMs = Number.POSITIVE_INFINITY;
    if (this.#due.size === 0 || this.#clock.nowMs() - this.#askedAtMs >= ASK_EVERY_MS) this.#makeAllDue();
    const [first] = this.#due;
    if (!first) return;
    const listeners = [...this.#due].filter(({ cursor }) => isSame(cursor, first.cursor));
    for (const listener of listeners) this.#due.delete(listener);
    this.#isReading = true;
    this.#isWoken = false;
    const page = await this.#pageAfter(first.cursor);
    this.#isReading = false;
    this.#lastReadMs = this.#clock.nowMs();
    for (const listener of listeners) if (this.#listeners.has(listener)) this.#deliver(listener, page);
    if (this.#due.size > 0) this.#readIn(page ? 0 : DATABASE_RETRY_MS);
    else if (this.#waiting.size > 0) this.#readIn(ASK_EVERY_MS);
  }

  /** Undefined if the database fails. */
  async #pageAfter(cursor: Cursor): Promise<ChangePage | undefined> {
    try {
      const page = await this.#store.changesSince(cursor, CHANGES_PER_PAGE);
      this.#isFailing = false;
      return page;
    } catch (err) {
      if (!this.#isFailing) this.#log.error({ err }, 'changes not readable, tried again');
      this.#isFailing = true;
      return undefined;
    }
  }

  #deliver(listener: Listener, page: ChangePage | undefined): void {
    if (page && page.changes.length > 0) return void this.#handOver(listener, page);
    if (page) listener.cursor = page.cursor;
    // Woken while it was read: there may be more by now.
    if (page && !this.#isWoken) this.#waiting.add(listener);
    else this.#due.add(listener);
  }

  async #handOver(listener: Listener, { changes, cursor }: ChangePage): Promise<void> {
    try {
      await listener.take(changes, cursor);
      listener.cursor = cursor;
      this.#makeDue(listener);
    } catch (err) {
      if (!this.#listeners.has(listener)) return;
      this.#log.warn({ err }, 'changes not taken by their listener, given again');
      listener.cancelRetry = this.#clock.after(DATABASE_RETRY_MS, () => this.#makeDue(listener));
    }
  }
}
