import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { monotonicNowMs } from '@relaygate/shared/system';
import { processorWaitsMs, stolenMs } from './processor-wait';
import { LOOK_EVERY_MS, lostBetween, lostInAllMs, newRecord } from './stall-record';

/** Longer than any test. */
const KEPT_MS = 600_000;
/** What is due has happened this long after, at most, on a machine that can still be judged. */
const SLOW_FOR_MS = 1_000;

interface Look {
  readonly atMs: number;
  /** By how much this process looked too late. */
  readonly lateMs: number;
  /** Since the look before: how long a watched process waited for a processor, by its thread that waited longest. */
  readonly waitedMs: number;
  /** Since the look before: what the host took from a processor of this virtual machine. */
  readonly stolenMs: number;
}

/**
 * How late the machine is, not the programs on it. With more to do than it can, or with a host that takes its processors
 * away, what a timer owes is done late, and what was done in time is seen late: a judge must know by how much his watch
 * is wrong. What a program does too long, with a processor, does not count. It never keeps a process from ending.
 *
 * What the host takes is known twice, and counts once: by the kernel's count, which not every host fills in, and by a
 * thread of this process that does nothing else than look at the clock.
 */
export class Lateness {
  readonly #looks: Look[] = [];
  readonly #timer: NodeJS.Timeout;
  #watched: readonly number[] = [];
  #waits = new Map<string, number>();
  readonly #stolenBeforeMs = stolenMs();
  #stolenMs = this.#stolenBeforeMs;
  readonly #stalls = newRecord();
  readonly #stallWatch: Worker;

  /** `readsLate`: what is judged goes on in other processes, so what this one does too long makes it see them late. */
  constructor({ readsLate }: { readsLate: boolean }) {
    let dueMs = monotonicNowMs() + LOOK_EVERY_MS;
    this.#timer = setInterval(() => {
      const atMs = monotonicNowMs();
      const lateMs = readsLate ? Math.max(0, atMs - dueMs) : 0;
      const look = { atMs, lateMs, waitedMs: this.#waitedMs(), stolenMs: this.#newlyStolenMs() };
      if (lateMs + look.waitedMs + look.stolenMs > 0) this.#looks.push(look);
      dueMs = atMs + LOOK_EVERY_MS;
      while ((this.#looks[0]?.atMs ?? atMs) < atMs - KEPT_MS) this.#looks.shift();
    }, LOOK_EVERY_MS);
    this.#timer.unref();
    this.#stallWatch = new Worker(join(__dirname, 'stall-watch.js'), { workerData: this.#stalls.buffer });
    this.#stallWatch.unref();
  }

  /** From here on it is these processes that what is judged depends on. */
  watch(...pids: readonly number[]): void {
    this.#watched = pids;
    this.#waitedMs();
  }

  /** By how much the watched processes may have been late between these moments, in milliseconds; of 10 minutes at most. */
  between(fromMs: number, toMs: number): number {
    const looks = this.#within(fromMs, toMs);
    const waitedMs = looks.reduce((sum, look) => sum + look.waitedMs, 0);
    const lateMs = looks.reduce((sum, look) => sum + look.lateMs + look.stolenMs, 0);
    return waitedMs + Math.max(lateMs, this.#stalledMs(fromMs, toMs));
  }

  /** The same for a call: of its acceptance and of its answer. What was at both ends counts once where they overlap. */
  ofCall(sentMs: number, answeredMs: number): number {
    const acceptedMs = Math.min(sentMs + SLOW_FOR_MS, answeredMs);
    return this.between(sentMs, acceptedMs) + this.between(Math.max(acceptedMs, answeredMs - SLOW_FOR_MS), answeredMs);
  }

  /** What the host took from what was due at `dueMs` in any process, in milliseconds. */
  stolenAt(dueMs: number): number {
    const untilMs = dueMs + SLOW_FOR_MS;
    const countedMs = this.#within(dueMs, untilMs).reduce((sum, look) => sum + look.stolenMs, 0);
    return Math.max(countedMs, this.#stalledMs(dueMs, untilMs));
  }

  /** The same of what happened at `atMs`, and may have been held up before or after. */
  stolenAround(atMs: number): number {
    return this.stolenAt(atMs - SLOW_FOR_MS / 2);
  }

  /** What the host has taken since this watch began, in milliseconds. */
  get stolenInAllMs(): number {
    return Math.max(stolenMs() - this.#stolenBeforeMs, lostInAllMs(this.#stalls));
  }

  stop(): void {
    clearInterval(this.#timer);
    void this.#stallWatch.terminate();
  }

  #stalledMs(fromMs: number, toMs: number): number {
    return lostBetween(this.#stalls, fromMs, toMs, monotonicNowMs());
  }

  #within(fromMs: number, toMs: number): Look[] {
    return this.#looks.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs + LOOK_EVERY_MS);
  }

  #waitedMs(): number {
    const before = this.#waits;
    this.#waits = new Map(this.#watched.flatMap((pid) => [...processorWaitsMs(pid)]));
    return Math.max(0, ...[...this.#waits].map(([thread, waitMs]) => waitMs - (before.get(thread) ?? 0)));
  }

  #newlyStolenMs(): number {
    const before = this.#stolenMs;
    this.#stolenMs = stolenMs();
    return this.#stolenMs - before;
  }
}
