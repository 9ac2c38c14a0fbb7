/** The monotonic clock of one machine, as a function of true time. */
export class MachineClock {
  /** 1 + drift. */
  readonly #rate: number;
  #bootMs = 0;
  #originMs: number;

  /** `drift`: within what time exchanges allow for between two machines. */
  constructor(drift: number, originMs: number) {
    this.#rate = 1 + drift;
    this.#originMs = originMs;
  }

  localMs(trueMs: number): number {
    return this.#originMs + (trueMs - this.#bootMs) * this.#rate;
  }

  trueMs(localMs: number): number {
    return this.#bootMs + (localMs - this.#originMs) / this.#rate;
  }

  trueDelayMs(localDelayMs: number): number {
    return localDelayMs / this.#rate;
  }

  /** A machine that boots counts from anew. */
  boot(trueMs: number, originMs: number): void {
    this.#bootMs = trueMs;
    this.#originMs = originMs;
  }
}
