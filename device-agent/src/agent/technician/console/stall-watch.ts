import type { Cancel, Clock } from '@relaygate/shared';

const LOOK_MS = 500;
/** If the agent was held up for longer, it is a stall: a busy Pi holds it up for less. */
const STALL_MS = 2_000;
/** Text that came during a stall is read within this time after it. */
const DRAIN_MS = 300;

/** Notes whether this process was held up, so that what it reads now may have been sent long ago. */
export class StallWatch {
  readonly #clock: Clock;
  #seenMs: number;
  #stalledUntilMs = 0;
  #cancel: Cancel = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#seenMs = clock.nowMs();
    this.#look();
  }

  /** Whether text that is read now may be as old as the stall was long. */
  get isStale(): boolean {
    this.#note();
    return this.#clock.nowMs() < this.#stalledUntilMs;
  }

  stop(): void {
    this.#cancel();
  }

  #look(): void {
    this.#note();
    this.#cancel = this.#clock.after(LOOK_MS, () => this.#look());
  }

  #note(): void {
    const nowMs = this.#clock.nowMs();
    if (nowMs - this.#seenMs > STALL_MS) this.#stalledUntilMs = nowMs + DRAIN_MS;
    this.#seenMs = nowMs;
  }
}
