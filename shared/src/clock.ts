/** Cancels what `Clock.after` has scheduled. Harmless after the fact, and when called twice. */
export type Cancel = () => void;

/**
 * Monotonic time, for every deadline and duration. One machine's processes share it (CLOCK_MONOTONIC), so a
 * deadline may travel over a unix socket; it never crosses to another machine as it is. I2, I14.
 */
export interface Clock {
  /** Milliseconds with fractions since an arbitrary origin (the machine's boot). Never goes back. */
  nowMs(): number;
  /** Calls `run` once, never before `delayMs` (>= 0) have passed on this clock. */
  after(delayMs: number, run: () => void): Cancel;
}

/** Wall time, for records and token lifetimes only: it jumps, and a device without a battery starts in 1970. */
export interface WallClock {
  /** Milliseconds since 1970-01-01 UTC. */
  epochMs(): number;
}
