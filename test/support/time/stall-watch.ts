/**
 * A thread that only looks at the clock and at the kernel's counts: what it was late without waiting for a processor, nothing
 * on this machine ran; and how long each watched process was ready and had no processor. What the thread that judges does
 * meanwhile, makes it neither late nor blind.
 */
import { workerData } from 'node:worker_threads';
import { monotonicNowMs } from '@relaygate/shared/system';
import { ownTimes, stolenMs, ThreadWaits } from './processor-wait';
import { LOOK_EVERY_MS, noteLook, noteLost, STALL, STOLEN } from './stall-record';

/** Timers and the kernel's counts are not more precise; a machine that stands still does so for longer. */
const LEAST_STALL_MS = 5;
/** Less is lost in each look of a machine that has anything else to do. */
const LEAST_WAIT_MS = 0.5;
/** Threads that are new to a process are found so often. */
const REFRESHED_EACH_LOOKS = 50;

/** `cell`: 1 ends it. `watched`: ids of processes, 0 where there is none. */
interface WatchData {
  readonly record: SharedArrayBuffer;
  readonly cell: SharedArrayBuffer;
  readonly watched: SharedArrayBuffer;
}

const data: WatchData = workerData;
const record = new Float64Array(data.record);
const cell = new Int32Array(data.cell);
const watched = new Int32Array(data.watched);

const waits = new Map<number, ThreadWaits>();
let last = { atMs: monotonicNowMs(), own: ownTimes(), stolenMs: stolenMs() };
for (let look = 0; Atomics.wait(cell, 0, 0, LOOK_EVERY_MS) === 'timed-out'; look += 1) {
  const own = ownTimes();
  const now = { atMs: monotonicNowMs(), own, stolenMs: stolenMs() };
  const window = { fromMs: last.atMs, toMs: now.atMs };
  const asPlannedMs = LOOK_EVERY_MS + (own.ranMs - last.own.ranMs) + (own.waitedMs - last.own.waitedMs);
  const stalledMs = now.atMs - last.atMs - asPlannedMs;
  if (stalledMs >= LEAST_STALL_MS) noteLost(record, STALL, window, stalledMs);
  if (now.stolenMs > last.stolenMs) noteLost(record, STOLEN, window, now.stolenMs - last.stolenMs);
  lookAtProcesses(window, look % REFRESHED_EACH_LOOKS === 0);
  last = now;
  noteLook(record, now.atMs);
}

function lookAtProcesses({ fromMs, toMs }: { fromMs: number; toMs: number }, refresh: boolean): void {
  const pids = new Set(watched.filter((pid) => pid > 0));
  for (const [pid, threads] of waits) {
    if (pids.has(pid)) continue;
    threads.close();
    waits.delete(pid);
  }
  for (const pid of pids) {
    const threads = waits.get(pid) ?? new ThreadWaits(pid);
    waits.set(pid, threads);
    const waitedMs = threads.newlyWaitedMs(refresh);
    // The kernel counts a wait when it is over, so it may have begun before the last look.
    if (waitedMs >= LEAST_WAIT_MS) noteLost(record, pid, { fromMs: fromMs - waitedMs, toMs }, waitedMs);
  }
}
