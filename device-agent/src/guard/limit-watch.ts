import type { Cancel, Clock } from '@relaygate/shared';
import type { Heartbeat } from './heartbeat';
import { type OnLimitRules, offAt, onSinceMs } from './on-limit';
import type { Output, OutputEvent } from './output-types';
import type { PolicyOff } from './requests';

/** Watches how long one output is on, and calls `over` when that must end. */
export class LimitWatch {
  readonly #clock: Clock;
  readonly #heartbeat: () => Heartbeat;
  readonly #over: (why: PolicyOff) => void;
  #sinceMs: number | null = null;
  /** Of the time before a guard's restart or a board's absence, for the next time it is on. */
  #resumedMs: number | null = null;
  #cancel: Cancel = () => {};

  constructor(clock: Clock, heartbeat: () => Heartbeat, over: (why: PolicyOff) => void) {
    this.#clock = clock;
    this.#heartbeat = heartbeat;
    this.#over = over;
  }

  /** Since when the output is on, or is to be on again, on the guard's clock; null: it is not, or nobody knows. */
  get sinceMs(): number | null {
    return this.#sinceMs;
  }

  /** It is about to go on again, and has been on since then. */
  resume(sinceMs: number | null): void {
    this.#resumedMs = sinceMs;
  }

  follow(output: Output, event: OutputEvent, rules: OnLimitRules): void {
    const before = this.#sinceMs ?? this.#resumedMs;
    this.#sinceMs = onSinceMs(before, output, event, this.#clock.nowMs());
    const isNoMore = output.phase === 'inactive' || (output.phase === 'waiting' && !output.active);
    // What was to go on again has not: the next time is a new one.
    if (isNoMore || this.#sinceMs !== null) this.#resumedMs = null;
    // Where that was not taken an order is out, which decides by its answer: an event too.
    if (event.kind !== 'limit') this.watch(rules);
  }

  /** Anew, for rules or heartbeat may have changed. */
  watch(rules: OnLimitRules): void {
    this.#cancel();
    if (this.#sinceMs === null) return;
    const { atMs, why } = offAt(rules, this.#sinceMs, this.#heartbeat());
    const delayMs = atMs - this.#clock.nowMs();
    if (delayMs === Number.POSITIVE_INFINITY) return;
    this.#cancel = this.#clock.after(Math.max(0, delayMs), () => this.#over(why));
  }
}
