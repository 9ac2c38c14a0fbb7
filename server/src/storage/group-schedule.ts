import type { Cancel, Clock } from '@relaygate/shared';
import type { WriteName } from './handlers';

/**
 * Under load one commit carries what came in this time: a commit costs more than the writes in it. A write that comes
 * alone waits for nothing.
 */
export const GROUP_EVERY_MS = 5;
/** What nobody waits for goes with the next write that somebody waits for, or by then. */
export const DEFERRABLE_MS = 20;
const DEFERRABLE: ReadonlySet<WriteName> = new Set(['recordOutcome', 'saveReport', 'closeLink']);

/** Runs something behind what this turn of the event loop still brings. */
export type Soon = (run: () => void) => Cancel;

const inThisTurn: Soon = (run) => {
  const immediate = setImmediate(run);
  return () => clearImmediate(immediate);
};

/** When the writes that wait go to the writer thread, all of them as one group. */
export class GroupSchedule {
  readonly #clock: Clock;
  readonly #send: () => void;
  readonly #soon: Soon;
  #dueMs = Number.POSITIVE_INFINITY;
  #cancelDue: Cancel = () => {};
  #lastMs = Number.NEGATIVE_INFINITY;

  /** `send`: takes all that wait; told to, it calls `sent`. */
  constructor(clock: Clock, send: () => void, soon: Soon = inThisTurn) {
    this.#clock = clock;
    this.#send = send;
    this.#soon = soon;
  }

  /** A write of this name waits. */
  add(name: WriteName, nowMs: number): void {
    const dueMs = DEFERRABLE.has(name) ? nowMs + DEFERRABLE_MS : Math.max(nowMs, this.#lastMs + GROUP_EVERY_MS);
    if (dueMs >= this.#dueMs) return;
    this.#cancelDue();
    this.#dueMs = dueMs;
    this.#cancelDue = dueMs > nowMs ? this.#clock.after(dueMs - nowMs, this.#send) : this.#soon(this.#send);
  }

  /** Nothing waits any more. */
  sent(): void {
    this.#cancelDue();
    this.#dueMs = Number.POSITIVE_INFINITY;
    this.#lastMs = this.#clock.nowMs();
  }
}
