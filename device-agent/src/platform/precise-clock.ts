import type { Clock } from '@relaygate/shared';
import { monotonicNowMs, systemClock } from '@relaygate/shared/system-clock';

/** A timer of Node is up to 1.2 ms late on an idle Pi; the last part of the wait is spun. */
const SPIN_MS = 2;

/**
 * The guard's clock: sleeps until shortly before the time, then spins, so that a pulse ends on time and never early (I4).
 */
export const preciseClock: Clock = {
  nowMs: monotonicNowMs,
  after(delayMs, run) {
    const dueMs = monotonicNowMs() + delayMs;
    return systemClock.after(Math.floor(delayMs - SPIN_MS), () => {
      while (monotonicNowMs() < dueMs);
      run();
    });
  },
};
