import type { Cancel } from '@relaygate/shared';
import { offAt, onSinceMs } from './on-limit';
import type { OutputDeps } from './output-deps';
import type { OutputMachine, OutputStep } from './output-machine';
import { isDeferred, stateOf } from './output-phase';
import { isRestored } from './power-on';
import type { PolicyOff } from './requests';

/** Watches how long one output is on, and switches it off when its time is up. */
export class LimitWatch {
  readonly #machine: OutputMachine;
  readonly #deps: OutputDeps;
  /** Since when the output is on, or is to be on again, on the guard's clock; null: it is not, or nobody knows. */
  #sinceMs: number | null = null;
  /** The moment from before a guard's restart or a board's absence, for when the output goes on again. */
  #resumedMs: number | null = null;
  #ended: { by: PolicyOff; atMs: number } | null = null;
  #isKept = false;
  #cancel: Cancel = () => {};

  constructor(machine: OutputMachine, deps: OutputDeps) {
    this.#machine = machine;
    this.#deps = deps;
  }

  /** The policy that switched it off, and when, on the guard's clock; null: none has since it was on. */
  get ended(): { by: PolicyOff; atMs: number } | null {
    return this.#ended;
  }

  /** The output is about to go on again, and counts as on since then. */
  resume(sinceMs: number | null): void {
    this.#resumedMs = sinceMs;
  }

  follow({ event, after }: OutputStep): void {
    const { clock } = this.#deps;
    const before = this.#sinceMs;
    this.#sinceMs = onSinceMs(before ?? this.#resumedMs, after, event, clock.nowMs());
    const isNoMore = after.phase === 'inactive' || (after.phase === 'waiting' && !after.active);
    // The output was to go on again and has not, so its next time begins anew.
    if (isNoMore || this.#sinceMs !== null) this.#resumedMs = null;
    // If the limit was not taken, the board has an order whose answer decides: that is an event too.
    if (event.kind !== 'limit') this.watch();
    if (this.#sinceMs !== before) this.note();
    if (event.kind === 'driven' && stateOf(after) === 1) this.#ended = null;
  }

  /** Counts anew, because rules or heartbeat may have changed. */
  watch(): void {
    const { clock, heartbeat } = this.#deps;
    this.#cancel();
    if (this.#sinceMs === null) return;
    const { atMs, why } = offAt(this.#machine.rules, this.#sinceMs, heartbeat());
    const delayMs = atMs - clock.nowMs();
    if (delayMs === Number.POSITIVE_INFINITY) return;
    this.#cancel = clock.after(Math.max(0, delayMs), () => this.end(why));
  }

  /** Its time is up. */
  end(why: PolicyOff): void {
    const { numOutput, output: before } = this.#machine;
    this.#machine.feed({ kind: 'limit' });
    // If a command waits, nothing was on: only the next try of the policy is dropped.
    if (this.#machine.output === before || isDeferred(before)) return;
    this.#ended = { by: why, atMs: this.#deps.clock.nowMs() };
    this.#deps.log.info(`output ${numOutput} goes off: ${why}`);
  }

  /** Records it for the next guard. */
  note(): void {
    const { numOutput, settings } = this.#machine;
    if (isRestored(settings) && !this.#isKept) this.#deps.onSince(numOutput, this.#sinceMs);
  }

  /** At the guard's end the output goes off and comes back with the next guard: its time goes on. */
  keep(): void {
    this.#isKept = true;
  }
}
