const WRONG_BEFORE_WAIT = 5;
const FIRST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 3_600_000;

/**
 * Counts wrong PINs in a row from one source: after five it must wait, a minute at first and twice as long after each
 * further one.
 */
export class WrongTries {
  #inRow: number;
  #untilMs = 0;

  /** `inRow`: from before a restart; the wait begins anew. */
  constructor(nowMs: number, inRow = 0) {
    this.#inRow = inRow;
    this.#close(nowMs);
  }

  get inRow(): number {
    return this.#inRow;
  }

  /** Until when PINs are refused unchecked. */
  get untilMs(): number {
    return this.#untilMs;
  }

  add(nowMs: number): void {
    this.#inRow += 1;
    this.#close(nowMs);
  }

  clear(): void {
    this.#inRow = 0;
    this.#untilMs = 0;
  }

  #close(nowMs: number): void {
    const beyond = this.#inRow - WRONG_BEFORE_WAIT;
    const waitMs = beyond < 0 ? 0 : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** beyond);
    this.#untilMs = nowMs + waitMs;
  }
}
