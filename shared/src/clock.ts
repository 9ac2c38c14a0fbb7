/** Cancels a timer of `Clock.after`. It may be called twice, and after the timer has run. */
export type Cancel = () => void;

/**
 * Monotonic time, for all deadlines and durations. The processes of one machine share it (CLOCK_MONOTONIC), so a deadline may
 * be sent over a unix socket, but never to another machine. I2, I14.
 */
export interface Clock {
  /** Milliseconds with fractions since an arbitrary origin (the machine's boot). Never goes back. */
  nowMs(): number;
  /** Calls `run` once, never before `delayMs` (>= 0) have passed on this clock. */
  after(delayMs: number, run: () => void): Cancel;
}

/** Wall time, only for records and token lifetimes: it can jump, and a device without a clock battery starts in 1970. */
export interface WallClock {
  /** Milliseconds since 1970-01-01 UTC. */
  epochMs(): number;
}

/** Converts a time of the monotonic clock into wall time, as the wall clock is set now. Whole milliseconds. */
export function epochMsAt(atMs: number, { clock, wallClock }: { clock: Clock; wallClock: WallClock }): number {
  return Math.round(wallClock.epochMs() - (clock.nowMs() - atMs));
}

/** What `given` resolves to, or `instead` when it rejects or takes longer than `limitMs` (>= 0). */
export function within<T>(clock: Clock, limitMs: number, given: Promise<T>, instead: T): Promise<T> {
  return new Promise((resolve) => {
    const settle = (value: T): void => {
      cancel();
      resolve(value);
    };
    const cancel = clock.after(limitMs, () => resolve(instead));
    given.then(settle, () => settle(instead));
  });
}

/** Resolves when `forMs` (>= 0) have passed on this clock. */
export function pause(clock: Clock, forMs: number): Promise<void> {
  return new Promise((resolve) => void clock.after(forMs, resolve));
}
