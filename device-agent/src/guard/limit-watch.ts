import type { Cancel, Clock } from '@relaygate/shared';
import { type OnLimitRules, offAtMs, onSinceMs } from './on-limit';
import type { Output, OutputEvent } from './output-phase';
import type { Presence } from './presence';

/** Watches how long one output is on, and calls `over` when that must end. */
export class LimitWatch {
  readonly #clock: Clock;
  readonly #presence: () => Presence;
  readonly #over: () => void;
  #sinceMs: number | null = null;
  #cancel: Cancel = () => {};

  constructor(clock: Clock, presence: () => Presence, over: () => void) {
    this.#clock = clock;
    this.#presence = presence;
    this.#over = over;
  }

  follow(output: Output, event: OutputEvent, rules: OnLimitRules): void {
    this.#sinceMs = onSinceMs(this.#sinceMs, output, event, this.#clock.nowMs());
    // Where that was not taken an order is out, which decides by its answer: an event too.
    if (event.kind !== 'limit') this.watch(rules);
  }

  /** Anew, for rules or presence may have changed. */
  watch(rules: OnLimitRules): void {
    this.#cancel();
    if (this.#sinceMs === null) return;
    const delayMs = offAtMs(rules, this.#sinceMs, this.#presence()) - this.#clock.nowMs();
    if (delayMs === Number.POSITIVE_INFINITY) return;
    this.#cancel = this.#clock.after(Math.max(0, delayMs), this.#over);
  }
}
