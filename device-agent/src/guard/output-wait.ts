import type { Cancel, Clock } from '@relaygate/shared';

/** The one wait of an output: for its pulse's end, or for the next try to switch it off. */
export class OutputWait {
  readonly #clock: Clock;
  readonly #due: () => void;
  #cancel: Cancel = () => {};
  #endsMs = 0;

  constructor(clock: Clock, due: () => void) {
    this.#clock = clock;
    this.#due = due;
  }

  /** When the last one that was begun ends, on the clock. */
  get endsMs(): number {
    return this.#endsMs;
  }

  /** Instead of the wait before. */
  begin(sinceMs: number, delayMs: number): void {
    this.#cancel();
    this.#endsMs = sinceMs + delayMs;
    this.#cancel = this.#clock.after(Math.max(0, this.#endsMs - this.#clock.nowMs()), this.#due);
  }

  stop(): void {
    this.#cancel();
  }
}
