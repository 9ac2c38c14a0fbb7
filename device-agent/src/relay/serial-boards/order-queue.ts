/**
 * Which order goes over the bus next. Off goes before on, and an order that might hold the bus beyond the end of a pulse
 * that the guard times waits for that end, also where its board answers promptly as a rule: a board that hangs from now
 * on makes no other output's pulse longer (I4). Only the end of another pulse does not wait.
 */
import { DRIVE_TIMEOUT_MS } from '@relaygate/shared';
import type { Level } from '@relaygate/shared/device';
import type { Cause } from '../../runtime/cause';
import { cause } from '../../runtime/problem';

export interface Job {
  line: number;
  /** What the line is ordered to; null: it is only read, which waits as "on" does. */
  level: Level | null;
  /** How long it holds the bus at worst, in ms. */
  longestMs: number;
  /** What answers promptly as a rule; a board that has been silent does not. */
  isPrompt: boolean;
  /** It waits for all that is ordered or asked for. */
  isPoll?: boolean;
  /** Once it has left the queue. Never rejects. */
  run(): Promise<void>;
  /** Instead of `run`. */
  fail(problem: Cause): void;
  /** Of an "off" that the frame of another may carry out with its own. */
  joined?: {
    /** I2: whether it may still start. */
    mayStart(): boolean;
    /** Instead of `run`, once it has left the queue. */
    done(atMs: number, readBack: Level | null): void;
  };
}

const NEWER_ORDER = cause('newer-order', {});

export type Next = { kind: 'job'; job: Job } | { kind: 'wait'; untilMs: number } | { kind: 'empty' };

/**
 * The guard's order for the end of a pulse comes within this after it was due. It always comes, so this only bounds the
 * wait for one that was lost: a guard that is held up for less makes the pulse longer by that and no more, and what waits
 * is still within its own time (DRIVE_TIMEOUT_MS).
 */
const END_MARGIN_MS = DRIVE_TIMEOUT_MS / 2;

export class OrderQueue {
  #jobs: Job[] = [];
  /** When the guard ends the pulse of a line. */
  readonly #ends = new Map<number, number>();

  /** An older order for the same line that is still here gives way. */
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
    const off = this.#jobs.filter(({ level }) => level === 'low');
    const others = this.#jobs.filter(({ level, isPoll }) => level !== 'low' && !isPoll);
    const polls = this.#jobs.filter(({ isPoll }) => isPoll);
    let untilMs = Number.POSITIVE_INFINITY;
    let isOffHeld = false;
    for (const job of [...off, ...others, ...polls]) {
      const { line, level } = job;
      // Pulses made longer again and again would hold it for ever.
      if (level !== 'low' && isOffHeld) break;
      const isEnd = level === 'low' && this.#ends.has(line);
      const endMs = isEnd && job.isPrompt ? null : this.#endWithin(job, nowMs);
      if (endMs === null) {
        this.#jobs = this.#jobs.filter((other) => other !== job);
        // Once: tried again, it is a board that hangs. An "on" may yet fail, and the pulse that runs ends as before.
        if (level === 'low') this.#ends.delete(line);
        return { kind: 'job', job };
      }
      untilMs = Math.min(untilMs, endMs);
      isOffHeld ||= job.isPrompt;
    }
    return this.#jobs.length === 0 ? { kind: 'empty' } : { kind: 'wait', untilMs };
  }

  /** First again; gives way to a newer order for its line. */
  putBack(job: Job): void {
    const isOld = this.#jobs.some(({ line, level }) => line === job.line && level !== null);
    if (isOld) job.fail(NEWER_ORDER);
    else this.#jobs.unshift(job);
  }

  /** "Off" that waits here and may be carried out with another's. */
  joinable(): Job[] {
    return this.#jobs.filter(({ level, joined }) => level === 'low' && joined?.mayStart());
  }

  /** The job has been carried out with another one. false: it has left the queue before. */
  leave(job: Job): boolean {
    const isHere = this.#take((other) => other === job).length > 0;
    if (isHere) this.#ends.delete(job.line);
    return isHere;
  }

  /** When the pulse ends that runs at the line and that nobody but the guard ends; null: none does. */
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
