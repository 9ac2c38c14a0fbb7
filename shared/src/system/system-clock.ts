import type { Cancel, Clock, WallClock } from '../clock';

const NANOSECONDS_PER_MS = 1e6;
/** Above this, setTimeout overflows to 1 ms, so longer waits are split. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** CLOCK_MONOTONIC in milliseconds. `performance.now()` begins at 0 in each process, so processes could not compare it. */
export function monotonicNowMs(): number {
  return Number(process.hrtime.bigint()) / NANOSECONDS_PER_MS;
}

export const systemClock: Clock = {
  nowMs: monotonicNowMs,
  after(delayMs, run): Cancel {
    const dueMs = monotonicNowMs() + delayMs;
    const wake = (): void => {
      const leftMs = dueMs - monotonicNowMs();
      if (leftMs <= 0) run();
      else timer = setTimeout(wake, Math.min(Math.ceil(leftMs), LONGEST_TIMER_MS));
    };
    let timer = setTimeout(wake, Math.min(Math.ceil(delayMs), LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

export const systemWallClock: WallClock = { epochMs: () => Date.now() };
