import { isoTime, type WallClock } from '@relaygate/shared';

/** A wall clock that knows whether it can be relied on: a Pi has no battery for its own. */
export interface DeviceClock extends WallClock {
  /** Whether it was set since the machine's start, or a battery has kept it. Once it was set, it stays so. */
  isSet(): boolean;
}

/** Milliseconds since 1970-01-01 UTC; null: the clock was not set. */
export function wallEpochMs(clock: DeviceClock): number | null {
  return clock.isSet() ? Math.round(clock.epochMs()) : null;
}

/** The time now, or so long ago: ISO 8601 in UTC; null: the clock was not set. */
export function wallTime(clock: DeviceClock, agoMs = 0): string | null {
  return clock.isSet() ? isoTime(Math.round(clock.epochMs() - agoMs)) : null;
}
