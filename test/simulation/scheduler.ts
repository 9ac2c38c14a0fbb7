import type { Cancel } from '@relaygate/shared';
import type { SeededChance } from '../support/chance/seeded-chance';

interface Task {
  atMs: number;
  /** Of two that fall due at one moment the seed says which goes first. */
  rank: number;
  seq: number;
  isAside: boolean;
  run: (() => void) | null;
}

/** Fifty times what the longest of seeds need. */
const MAX_EVENTS = 200_000;

/** A run that would go on for ever. */
export class Endless extends Error {}

/** True time, and everything that is still to happen in it. What one event sets going is through before the next. */
export class Scheduler {
  readonly #chance: SeededChance;
  readonly #heap: Task[] = [];
  #nowMs = 0;
  #events = 0;
  #seq = 0;

  constructor(chance: SeededChance) {
    this.#chance = chance;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Never in the past. */
  at(atMs: number, run: () => void): Cancel {
    return this.#add(atMs, this.#chance.fraction(), false, run);
  }

  in(delayMs: number, run: () => void): Cancel {
    return this.at(this.#nowMs + delayMs, run);
  }

  /** For who only looks on: behind all else of its moment, without a chance drawn, and `isDone` is not asked behind it. */
  aside(delayMs: number, run: () => void): Cancel {
    return this.#add(this.#nowMs + delayMs, 1, true, run);
  }

  #add(atMs: number, rank: number, isAside: boolean, run: () => void): Cancel {
    this.#seq += 1;
    const task: Task = { atMs: Math.max(atMs, this.#nowMs), rank, seq: this.#seq, isAside, run };
    this.#push(task);
    return () => {
      task.run = null;
    };
  }

  /** Runs until then, or until `isDone` says so after an event. Fails with `Endless` after too many events. */
  async runUntil(untilMs: number, isDone: () => boolean = () => false): Promise<void> {
    let mayBeDone = false;
    await inTurns(() => {
      if (mayBeDone && isDone()) return false;
      const next = this.#next(untilMs);
      if (!next) {
        this.#nowMs = Math.max(this.#nowMs, untilMs);
        return false;
      }
      this.#nowMs = next.atMs;
      mayBeDone = !next.isAside;
      if (!next.isAside) this.#events += 1;
      if (this.#events > MAX_EVENTS) throw new Endless(`${MAX_EVENTS} events, and no end`);
      next.run();
      return true;
    });
  }

  /** What falls due first, up to then. */
  #next(untilMs: number): { atMs: number; isAside: boolean; run: () => void } | null {
    for (let task = this.#heap[0]; task && task.atMs <= untilMs; task = this.#heap[0]) {
      this.#pop();
      const { atMs, isAside, run } = task;
      if (run !== null) return { atMs, isAside, run };
    }
    return null;
  }

  #push(task: Task): void {
    const heap = this.#heap;
    let place = heap.push(task) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = heap[parent];
      if (!above || !isBefore(task, above)) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = task;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      const right = heap[child + 1];
      const left = heap[child];
      if (!left) break;
      let least = left;
      if (right && isBefore(right, left)) {
        child += 1;
        least = right;
      }
      if (!isBefore(least, last)) break;
      heap[place] = least;
      place = child;
    }
    heap[place] = last;
  }
}

function isBefore(one: Task, other: Task): boolean {
  if (one.atMs !== other.atMs) return one.atMs < other.atMs;
  return one.rank === other.rank ? one.seq < other.seq : one.rank < other.rank;
}

/** Immediates that are asked for at once: a turn of the event loop costs more than what most events do. */
const AT_ONCE = 64;

/**
 * Calls `turn` until it says false, or throws. Between two calls Node empties its queue of microtasks, however long the
 * chains are, as it does between any two immediates.
 */
function inTurns(turn: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const step = (): void => {
      if (isOver) return;
      try {
        isOver = !turn();
        if (isOver) resolve();
      } catch (error) {
        isOver = true;
        reject(error);
      }
    };
    const steps = (): void => {
      if (isOver) return;
      for (let left = AT_ONCE; left > 0; left -= 1) setImmediate(step);
      setImmediate(steps);
    };
    steps();
  });
}
