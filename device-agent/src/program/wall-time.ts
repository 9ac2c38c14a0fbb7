import { isoTime, type WallClock } from '@relaygate/shared';

/** Before this no such program existed: a clock that shows less was never set (a Pi has no battery for its own). */
const SET_SINCE_MS = Date.UTC(2026, 0, 1);

/** Whether a wall clock that shows this was set. */
export function isSetTime(epochMs: number): boolean {
  return epochMs >= SET_SINCE_MS;
}

/** ISO 8601 in UTC, or null where the wall clock was not set. */
export function wallTime(wallClock: WallClock): string | null {
  const epochMs = wallClock.epochMs();
  return isSetTime(epochMs) ? isoTime(epochMs) : null;
}
