import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { monotonicNowMs } from '@relaygate/shared/system';
import { covers, LOOK_EVERY_MS, lastLookMs, lostWithin, newRecord, STALL, STOLEN, type Window } from './stall-record';

const MAX_WATCHED = 64;
/** A watch that has not looked for so long, on a machine on which this thread runs, has stopped. */
const STOPPED_AFTER_MS = 2_000;
/** Its thread may be slow to start. */
const STARTS_WITHIN_MS = 20_000;

/**
 * How late the machine is, not the programs on it. With more to do than it can, or with a host that takes its processors
 * away, what a timer owes is done late. What a program does too long, with a processor, does not count, and neither does what
 * the process that judges does too long. It never keeps a process from ending.
 *
 * What the host takes is known twice, and counts once: by the kernel's count, which not every host fills in, and by a
 * thread of this process that does nothing else than look at the clock.
 */
export class Lateness {
  readonly #record = newRecord();
  readonly #cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #watched = new Int32Array(new SharedArrayBuffer(MAX_WATCHED * Int32Array.BYTES_PER_ELEMENT));
  readonly #watch: Worker;
  #fault: string | undefined;

  constructor() {
    const workerData = { record: this.#record.buffer, cell: this.#cell.buffer, watched: this.#watched.buffer };
    this.#watch = new Worker(join(__dirname, 'stall-watch.js'), { workerData });
    this.#watch.on('error', (error) => {
      this.#fault = String(error);
    });
    this.#watch.unref();
  }

  /** From here on it is known how long this process waits for a processor, until it ends. */
  watch(pid: number): void {
    if (this.#watched.includes(pid)) return;
    const place = this.#watched.findIndex((other) => other === 0 || !isThere(other));
    if (place < 0) throw new Error(`more than ${MAX_WATCHED} processes to watch`);
    this.#watched[place] = pid;
  }

  /**
   * What the machine took from these processes within the window, in ms. Waits until the watch has looked after it. Nothing is
   * known of what was before its first look, and nothing excused.
   */
  lostMs(window: Window, pids: readonly number[] = []): number {
    this.#untilLooked(window.toMs);
    if (!covers(this.#record, window)) return 0;
    const lost = (who: number): number => lostWithin(this.#record, who, window);
    const waitedMs = pids.reduce((sum, pid) => sum + lost(pid), 0);
    return Math.min(waitedMs + Math.max(lost(STALL), lost(STOLEN)), window.toMs - window.fromMs);
  }

  /** Throws when nobody has been watching at the end. */
  stop(): void {
    try {
      this.#untilLooked(monotonicNowMs());
    } finally {
      Atomics.store(this.#cell, 0, 1);
      Atomics.notify(this.#cell, 0);
      this.#fault ??= 'it was told to';
    }
  }

  /** This thread waits, too: what it is about to judge must not become older. */
  #untilLooked(atMs: number): void {
    const asleep = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const givenUpMs = monotonicNowMs() + (lastLookMs(this.#record) === 0 ? STARTS_WITHIN_MS : STOPPED_AFTER_MS);
    while (lastLookMs(this.#record) < atMs) {
      if (this.#fault !== undefined || monotonicNowMs() > givenUpMs) throw new StoppedWatchError(this.#fault);
      Atomics.wait(asleep, 0, 0, LOOK_EVERY_MS / 4);
    }
  }
}

export class StoppedWatchError extends Error {
  constructor(why = 'it does not look any more') {
    super(`The stall watch has stopped, and nobody knows how late the machine was: ${why}`);
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
