import type { SeededChance } from '../../support/chance/seeded-chance';
import type { Scheduler } from '../scheduler';
import { Layers } from './layers';

/** One direction of a way between two machines. */
export class Direction {
  readonly chance: SeededChance;
  /** A message takes from the first to the sum of both. */
  readonly leastMs: number;
  readonly jitterMs: number;
  /** On top, while a fault lasts. */
  extraMs = 0;
  /** Parts of 100 messages that a broken middlebox repeats. */
  readonly repeats = new Layers<number>(0);
  #blocks = 0;
  readonly #waiting = new Set<() => void>();

  constructor(chance: SeededChance, leastMs: number, jitterMs: number) {
    this.chance = chance;
    this.leastMs = leastMs;
    this.jitterMs = jitterMs;
  }

  get isBlocked(): boolean {
    return this.#blocks > 0;
  }

  delayMs(): number {
    return this.leastMs + this.chance.fraction() * this.jitterMs + this.extraMs;
  }

  block(): void {
    this.#blocks += 1;
  }

  /** What was held up moves on, as TCP repeats what was not acknowledged. */
  unblock(): void {
    this.#blocks -= 1;
    if (this.#blocks > 0) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const go of waiting) go();
  }

  whenOpen(go: () => void): void {
    this.#waiting.add(go);
  }
}

interface Message {
  readyMs: number;
  arrive: () => void;
}

/** One direction of one connection: everything arrives once and in order, or not at all. */
export class Pipe {
  readonly #scheduler: Scheduler;
  readonly #direction: Direction;
  #messages: Message[] = [];
  #isPumping = false;
  #isBroken = false;

  constructor(scheduler: Scheduler, direction: Direction) {
    this.#scheduler = scheduler;
    this.#direction = direction;
  }

  push(arrive: () => void): void {
    if (this.#isBroken) return;
    const readyMs = this.#scheduler.nowMs + this.#direction.delayMs();
    this.#messages.push({ readyMs, arrive });
    this.#pump();
  }

  /** What is on its way is lost, and so is what is sent from now on. Returns what was on its way. */
  break(): (() => void)[] {
    this.#isBroken = true;
    return this.#messages.splice(0).map(({ arrive }) => arrive);
  }

  #pump(): void {
    const [next] = this.#messages;
    if (this.#isPumping || !next) return;
    this.#isPumping = true;
    this.#scheduler.at(next.readyMs, () => {
      this.#isPumping = false;
      if (this.#direction.isBlocked) {
        this.#isPumping = true;
        this.#direction.whenOpen(() =>
          this.#scheduler.in(this.#direction.delayMs(), () => {
            this.#isPumping = false;
            this.#pump();
          }),
        );
        return;
      }
      this.#messages.shift()?.arrive();
      this.#pump();
    });
  }
}
