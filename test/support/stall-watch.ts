/** A thread that only looks at the clock: what it was late without waiting for a processor, nothing on this machine ran. */
import { readFileSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { monotonicNowMs } from '@relaygate/shared/system';
import { LOOK_EVERY_MS, noteLook } from './stall-record';

/** Timers and the kernel's counts are not more precise; a machine that stands still does so for longer. */
const LEAST_MS = 5;
const NS_PER_MS = 1e6;

const record = new Float64Array(workerData as SharedArrayBuffer);
let lastMs = monotonicNowMs();
let lastWaitMs = ownWaitMs();

setInterval(() => {
  const atMs = monotonicNowMs();
  const waitMs = ownWaitMs();
  const lostMs = atMs - lastMs - LOOK_EVERY_MS - (waitMs - lastWaitMs);
  noteLook(record, atMs, lostMs >= LEAST_MS ? lostMs : 0);
  lastMs = atMs;
  lastWaitMs = waitMs;
}, LOOK_EVERY_MS);

/** As `processorWaitsMs`, of this thread. */
function ownWaitMs(): number {
  return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[1]) / NS_PER_MS;
}
