import { toldSeed } from './told-seed';

/**
 * Chance that can be played again: `RELAYGATE_SEED=N` gives every test of a run the seed that a failure printed. The
 * sequence is mulberry32. It also stands in for the Randomness of a program.
 */
export class SeededChance {
  readonly seed: number;
  #state: number;

  constructor(seed = seedOfRun()) {
    this.seed = seed;
    this.#state = seed;
  }

  /** Whole, from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  /** A sequence of its own, so that what is drawn here does not move what is drawn there. */
  fork(name: string): SeededChance {
    let seed = this.seed;
    for (const char of name) seed = Math.imul(seed ^ char.charCodeAt(0), 0x01000193);
    return new SeededChance(seed);
  }

  bytes(size: number): Uint8Array {
    return Uint8Array.from({ length: size }, () => this.between(0, 255));
  }

  pick<T>(...choices: readonly [T, ...T[]]): T {
    return choices[this.between(0, choices.length - 1)] ?? choices[0];
  }

  /** Runs a test's body; its failure says how to play it again. */
  async replayable(body: () => Promise<void>): Promise<void> {
    try {
      await body();
    } catch (error) {
      if (error instanceof Error) error.message = `RELAYGATE_SEED=${this.seed} plays this again: ${error.message}`;
      throw error;
    }
  }

  /** [0, 1) */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}

function seedOfRun(): number {
  const told = toldSeed();
  return typeof told === 'number' ? told : Math.floor(Math.random() * 2 ** 31);
}
