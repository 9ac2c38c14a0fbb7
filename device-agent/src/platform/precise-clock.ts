import type { Cancel, Clock } from '@relaygate/shared';
import { monotonicNowMs } from '@relaygate/shared/system-clock';

/** A timer of Node is up to 1.2 ms late on an idle Pi; the rest of the wait is spun. */
const SPIN_MS = 2;
/** setTimeout overflows to 1 ms above this. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The guard's clock: sleeps until shortly before, then spins, so that a pulse ends on time and never early (I4). */
export const preciseClock: Clock = {
  nowMs: monotonicNowMs,
  after(delayMs, run): Cancel {
    const dueMs = monotonicNowMs() + delayMs;
    let timer: NodeJS.Timeout;
    const arm = (): void => {
      const leftMs = dueMs - monotonicNowMs();
      if (leftMs > SPIN_MS) {
        timer = setTimeout(arm, Math.min(Math.floor(leftMs - SPIN_MS), LONGEST_TIMER_MS));
        return;
      }
      while (monotonicNowMs() < dueMs);
      run();
    };
    // Never from inside the call, however short the delay.
    timer = setTimeout(arm, Math.min(Math.max(0, Math.floor(delayMs - SPIN_MS)), LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
};
