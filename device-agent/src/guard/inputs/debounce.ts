/**
 * What an input shows, without its bouncing. Pure: edges and readings come in with their times on the guard's clock, changes
 * go out with the time of the edge that began them.
 */
import type { Level } from '@relaygate/shared/device';

/**
 * `shown`: the last level that lasted; null: none has yet. `level`: what it is now, since `sinceMs`; `isOnlyRead`: it was only
 * read, and may be older.
 */
export interface Debounced {
  shown: Level | null;
  level: Level;
  sinceMs: number;
  isOnlyRead?: true;
}

/** `isFirst`: nobody knows what it was before, or since when it has been so: it is no edge. */
export interface LevelChange {
  level: Level;
  atMs: number;
  isFirst: boolean;
}

export type DebounceStep = [Debounced, LevelChange | null];

/** The state after the first reading. */
export function firstSeen(level: Level, atMs: number): Debounced {
  return { shown: null, level, sinceMs: atMs };
}

/** Handles an edge. It may be handled late, so the level before it counts if that lasted until the edge. */
export function afterEdge(input: Debounced, level: Level, atMs: number, debounceMs: number): DebounceStep {
  const lasted = input.level !== input.shown && atMs - input.sinceMs >= debounceMs;
  const [before, change] = lasted ? settle(input) : [input, null];
  return [{ shown: before.shown, level, sinceMs: atMs }, change];
}

/**
 * Handles a reading that follows `debounceMs` without an edge. What it shows counts, because a process that was held up may
 * have missed its last edges.
 */
export function afterReading(input: Debounced, level: Level, atMs: number): DebounceStep {
  if (level !== input.level) return [{ shown: input.shown, level, sinceMs: atMs, isOnlyRead: true }, null];
  return input.level === input.shown ? [input, null] : settle(input);
}

function settle({ shown, level, sinceMs, isOnlyRead }: Debounced): DebounceStep {
  return [
    { shown: level, level, sinceMs },
    { level, atMs: sinceMs, isFirst: shown === null || isOnlyRead === true },
  ];
}
