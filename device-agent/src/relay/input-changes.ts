import type { Level } from '@relaygate/shared/device';
import type { InputEdge } from './relay-driver';

interface Look {
  /** null: it could not be read. */
  level: Level | null;
  atMs: number;
}

/**
 * Edges of inputs that are looked at again and again. The first look tells none: `readInput` says what an input shows at
 * first. If nothing could be read then, the first level is an edge.
 */
export class InputChanges {
  readonly #watched: readonly number[];
  /** The last look at each that read something, or the first. */
  readonly #looks = new Map<number, Look>();

  constructor(watched: readonly number[]) {
    this.#watched = watched;
  }

  /** What inputs were found at, in a look that began at `atMs`; null: they could not be read. */
  edgesOf(levels: ReadonlyMap<number, Level | null>, atMs: number): InputEdge[] {
    return this.#watched.flatMap((input) => {
      const level = levels.get(input);
      if (level === undefined) return [];
      const last = this.#looks.get(input);
      if (level !== null || last === undefined) this.#looks.set(input, { level, atMs });
      return level === null || last === undefined || last.level === level ? [] : [{ input, level, atMs: last.atMs }];
    });
  }

  /** The next look is the first. */
  forget(): void {
    this.#looks.clear();
  }
}
