import { monotonicNowMs } from '@relaygate/shared/system';
import { processorWaitsMs, stolenMs } from './processor-wait';

const LOOK_EVERY_MS = 10;
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
 */
export class Lateness {
  readonly #looks: Look[] = [];
  readonly #timer: NodeJS.Timeout;
  #watched: readonly number[] = [];
  #waits = new Map<string, number>();
  #stolenMs = stolenMs();

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
  }

  /** From here on it is these processes that what is judged depends on. */
  watch(...pids: readonly number[]): void {
    this.#watched = pids;
    this.#waitedMs();
  }

  /** By how much the watched processes may have been late between these moments, in milliseconds; of 10 minutes at most. */
  between(fromMs: number, toMs: number): number {
    const looks = this.#within(fromMs, toMs);
    return looks.reduce((sum, { lateMs, waitedMs, stolenMs }) => sum + lateMs + waitedMs + stolenMs, 0);
  }

  /** The same for a call: of its acceptance and of its answer. What was at both ends counts once where they overlap. */
  ofCall(sentMs: number, answeredMs: number): number {
    const acceptedMs = Math.min(sentMs + SLOW_FOR_MS, answeredMs);
    return this.between(sentMs, acceptedMs) + this.between(Math.max(acceptedMs, answeredMs - SLOW_FOR_MS), answeredMs);
  }

  /** What the host took from what was due at `dueMs` in any process, in milliseconds. */
  stolenAt(dueMs: number): number {
    return this.#within(dueMs, dueMs + SLOW_FOR_MS).reduce((sum, look) => sum + look.stolenMs, 0);
  }

  /** The same of what happened at `atMs`, and may have been held up before or after. */
  stolenAround(atMs: number): number {
    return this.stolenAt(atMs - SLOW_FOR_MS / 2);
  }

  stop(): void {
    clearInterval(this.#timer);
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
