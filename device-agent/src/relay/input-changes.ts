import type { Level } from '@relaygate/shared/device';
import type { BoardListener, InputEdge } from './relay-driver';

/**
 * An input counts as unread after so many looks in a row that could not read it, the last of them so long after the last
 * one that could, or after the first look.
 */
const UNREAD_LOOKS = 3;
const UNREAD_MS = 1_000;

interface Look {
  /** null: it could not be read. */
  level: Level | null;
  atMs: number;
  /** How many looks since then could not read it. */
  failed: number;
  /** It was reported as unread. */
  isUnread: boolean;
}

/** What a look reports. */
export interface Seen {
  edges: InputEdge[];
  /** Inputs that count as unread from now on: reported once. */
  unread: number[];
}

export function reportSeen(listener: BoardListener | null, { edges, unread }: Seen): void {
  if (edges.length > 0) listener?.edges?.(edges);
  if (unread.length > 0) listener?.inputsUnread?.(unread);
}

/**
 * Finds edges of inputs that are looked at again and again. The first look reports none: `readInput` says what an input
 * shows at first. If the first look could not read it, the first level is an edge. So is a level that differs from the one
 * before a time without readings.
 */
export class InputChanges {
  readonly #watched: readonly number[];
  /** For each input the last look that read something, or else the first look. */
  readonly #looks = new Map<number, Look>();

  constructor(watched: readonly number[]) {
    this.#watched = watched;
  }

  /** The levels of the inputs, in a look that began at `atMs`; null: they could not be read. */
  look(levels: ReadonlyMap<number, Level | null>, atMs: number): Seen {
    const seen: Seen = { edges: [], unread: [] };
    for (const input of this.#watched) {
      const level = levels.get(input);
      if (level === null) this.#fail(input, atMs, seen);
      else if (level !== undefined) this.#find(input, level, atMs, seen);
    }
    return seen;
  }

  /** The next look is the first. */
  forget(): void {
    this.#looks.clear();
  }

  #find(input: number, level: Level, atMs: number, { edges }: Seen): void {
    const last = this.#looks.get(input);
    this.#looks.set(input, { level, atMs, failed: 0, isUnread: false });
    if (last !== undefined && last.level !== level) edges.push({ input, level, atMs: last.atMs });
  }

  #fail(input: number, atMs: number, { unread }: Seen): void {
    const last = this.#looks.get(input) ?? { level: null, atMs, failed: 0, isUnread: false };
    const failed = last.failed + 1;
    const isUnread = failed >= UNREAD_LOOKS && atMs - last.atMs >= UNREAD_MS;
    this.#looks.set(input, { ...last, failed, isUnread });
    if (isUnread && !last.isUnread) unread.push(input);
  }
}
