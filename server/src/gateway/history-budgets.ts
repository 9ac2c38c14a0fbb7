import { type Clock, HISTORY_BURST, HISTORY_PER_SECOND } from '@relaygate/shared';

interface Budget {
  left: number;
  atMs: number;
}

/**
 * How much of their histories devices may tell: a whole one at once, and a steady rate behind it. Of the product, not of
 * the link, or a device that links again and again would fill the disk. I15.
 */
export class HistoryBudgets {
  readonly #clock: Clock;
  readonly #budgets = new Map<string, Budget>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long to wait, in ms, until as many entries may be kept. They are counted already. */
  take(productLogin: string, entries: number): number {
    const left = this.#spend(productLogin, entries);
    return left >= 0 ? 0 : (-left / HISTORY_PER_SECOND) * 1000;
  }

  /** Entries that were taken and certainly not kept: the device tells them again. */
  giveBack(productLogin: string, entries: number): void {
    this.#spend(productLogin, -entries);
  }

  /** What is left after it. */
  #spend(productLogin: string, entries: number): number {
    const nowMs = this.#clock.nowMs();
    const { left, atMs } = this.#budgets.get(productLogin) ?? { left: HISTORY_BURST, atMs: nowMs };
    const refilled = Math.min(HISTORY_BURST, left + ((nowMs - atMs) / 1000) * HISTORY_PER_SECOND);
    const after = refilled - entries;
    if (after >= HISTORY_BURST) this.#budgets.delete(productLogin);
    else this.#budgets.set(productLogin, { left: after, atMs: nowMs });
    return after;
  }
}
