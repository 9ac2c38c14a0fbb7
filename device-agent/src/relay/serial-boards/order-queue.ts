/**
 * Chooses the order that goes over the bus next. Off goes before on; to a board that has been silent, in turns with all others. An
 * order that could hold the bus beyond the end of a pulse that the guard times waits for that end, even if its board usually answers
 * promptly: a board that hangs from now on makes no other output's pulse longer (I4). Only the end of another pulse does not wait.
 */
import { DRIVE_TIMEOUT_MS } from '@relaygate/shared';
import type { Level } from '@relaygate/shared/device';
import type { Cause } from '../../runtime/cause';
import { cause } from '../../runtime/problem';

export interface Job {
  line: number;
  /** The level that is ordered; null: the line is only read, which waits as "on" does. */
  level: Level | null;
  /** How long it holds the bus at worst, in ms. */
  longestMs: number;
  /** True if the board usually answers promptly; a board that has been silent does not. */
  isPrompt: boolean;
  /** A poll waits for all orders and all other questions. */
  isPoll?: boolean;
  /** Called once the job has left the queue. Never rejects. */
  run(): Promise<void>;
  /** Called instead of `run`. */
  fail(problem: Cause): void;
  /** For an "off" that another order's frame may carry out with its own. */
  joined?: {
    /** I2: whether it may still start. */
    mayStart(): boolean;
    /** Called instead of `run`, once the job has left the queue. */
    done(atMs: number, readBack: Level | null): void;
  };
}

const NEWER_ORDER = cause('newer-order', {});

export type Next = { kind: 'job'; job: Job } | { kind: 'wait'; untilMs: number } | { kind: 'empty' };

/**
 * The guard's order for the end of a pulse comes within this time after it was due. It always comes, so this only bounds
 * the wait for a lost one: a guard that is held up for less makes the pulse longer by that and no more, and orders that
 * wait are still within their own time (DRIVE_TIMEOUT_MS).
 */
const END_MARGIN_MS = DRIVE_TIMEOUT_MS / 2;

export class OrderQueue {
  #jobs: Job[] = [];
  /** When the guard ends the pulse of a line. */
  readonly #ends = new Map<number, number>();
  /** The last job was an "off" to a board that has been silent. */
  #wasSlowOff = false;

  /** Replaces an older order for the same line that still waits. */
  add(job: Job): void {
    if (job.level !== null)
      for (const old of this.#take(({ line, level }) => line === job.line && level !== null)) old.fail(NEWER_ORDER);
    this.#jobs.push(job);
  }

  /** Whether an order for the line waits here. */
  hasOrder(line: number): boolean {
    return this.#jobs.some((job) => job.line === line && job.level !== null);
  }

  /** The next one leaves the queue. */
  next(nowMs: number): Next {
    let untilMs = Number.POSITIVE_INFINITY;
    let isOffHeld = false;
    for (const job of this.#inOrder()) {
      const { line, level } = job;
      // An "off" must not wait for ever behind commands that make pulses longer again and again.
      if (level !== 'low' && isOffHeld) continue;
      const isEnd = level === 'low' && this.#ends.has(line);
      const endMs = isEnd && job.isPrompt ? null : this.#endWithin(job, nowMs);
      if (endMs === null) {
        this.#jobs = this.#jobs.filter((other) => other !== job);
        this.#wasSlowOff = level === 'low' && !job.isPrompt;
        // The end of a pulse goes first once only: if it is tried again, the board hangs. An "on" may still fail, and the
        // running pulse ends as before.
        if (level === 'low') this.#ends.delete(line);
        return { kind: 'job', job };
      }
      untilMs = Math.min(untilMs, endMs);
      isOffHeld ||= job.isPrompt;
    }
    return this.#jobs.length === 0 ? { kind: 'empty' } : { kind: 'wait', untilMs };
  }

  #inOrder(): Job[] {
    const off = this.#jobs.filter(({ level }) => level === 'low');
    const prompt = off.filter(({ isPrompt }) => isPrompt);
    const slow = off.filter(({ isPrompt }) => !isPrompt);
    const others = this.#jobs.filter(({ level, isPoll }) => level !== 'low' && !isPoll);
    const polls = this.#jobs.filter(({ isPoll }) => isPoll);
    // A slow "off" is tried again and again: without turns, those of some relays would fill the bus.
    return this.#wasSlowOff ? [...prompt, ...others, ...polls, ...slow] : [...prompt, ...slow, ...others, ...polls];
  }

  /** Puts it first again, unless a newer order for its line waits. */
  putBack(job: Job): void {
    const isOld = this.#jobs.some(({ line, level }) => line === job.line && level !== null);
    if (isOld) job.fail(NEWER_ORDER);
    else this.#jobs.unshift(job);
  }

  /** The waiting "off" orders that may be carried out with another's frame. */
  joinable(): Job[] {
    return this.#jobs.filter(({ level, joined }) => level === 'low' && joined?.mayStart());
  }

  /** The job was carried out with another one. False: it had left the queue before. */
  leave(job: Job): boolean {
    const isHere = this.#take((other) => other === job).length > 0;
    if (isHere) this.#ends.delete(job.line);
    return isHere;
  }

  /** Notes when the line's running pulse ends that only the guard ends; null: none runs. */
  pulseEnds(line: number, atMs: number | null): void {
    if (atMs === null) this.#ends.delete(line);
    else this.#ends.set(line, atMs);
  }

  failAll(problem: Cause): void {
    this.#ends.clear();
    for (const job of this.#take(() => true)) job.fail(problem);
  }

  /** When the bus is free for the job again; null: now. */
  #endWithin({ line: own, longestMs }: Job, nowMs: number): number | null {
    const ends = [...this.#ends]
      .filter(([line, endMs]) => line !== own && endMs + END_MARGIN_MS > nowMs && endMs < nowMs + longestMs)
      .map(([, endMs]) => endMs + END_MARGIN_MS);
    return ends.length === 0 ? null : Math.max(...ends);
  }

  #take(isTaken: (job: Job) => boolean): Job[] {
    const taken = this.#jobs.filter(isTaken);
    this.#jobs = this.#jobs.filter((job) => !isTaken(job));
    return taken;
  }
}
