/** How long a device may and must wait before it tries again, counted from what happened to its links. */
import { strict as assert } from 'node:assert';
import { BACKOFF_BASE_MS, BACKOFF_CAP_MS, CLOSE, REPLACED_WAIT_CAP_MS, REPLACED_WAIT_MS } from '@relaygate/shared';

/** Shorter links count as failed tries. */
const STEADY_MS = 5_000;

export class RetryModel {
  /** Tries that ended in the ordinary back-off: those that came to no link since one was up, and `#ends` of then. */
  #failures = 0;
  /** Links that ended, from the latest steady one on. */
  #ends = 0;
  #takeovers = 0;

  /** `heldMs`: null for a try that came to no link. */
  ended(heldMs: number | null, code: number | null): void {
    const counts = ![CLOSE.refused, CLOSE.replaced, CLOSE.revoked, CLOSE.tooOften].some((other) => code === other);
    if (heldMs !== null) {
      if (heldMs >= STEADY_MS) this.#ends = 0;
      this.#failures = this.#ends;
      if (counts) this.#ends += 1;
    }
    if (counts) this.#failures += 1;
    if (heldMs !== null && heldMs >= 2 * REPLACED_WAIT_CAP_MS) this.#takeovers = 0;
    if (code === CLOSE.replaced) this.#takeovers += 1;
  }

  judge(waitMs: number, code: number | null, chance: number): void {
    switch (code) {
      case CLOSE.replaced: {
        const leastMs = Math.min(REPLACED_WAIT_CAP_MS, REPLACED_WAIT_MS * 2 ** (this.#takeovers - 1));
        assert.equal(waitMs, leastMs, 'I12: two devices with one key would fight for the link');
        break;
      }
      case CLOSE.refused:
      case CLOSE.revoked:
      case CLOSE.tooOften:
        assert(waitMs >= BACKOFF_CAP_MS / 2, 'a device that is refused tries too soon');
        break;
      default: {
        const mostMs = Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** (this.#failures - 1));
        const expectedMs = this.#failures === 1 ? chance * mostMs : (mostMs * (1 + chance)) / 2;
        assert(Math.abs(waitMs - expectedMs) < 1e-6, 'I15: the tries of a failing link do not grow apart');
      }
    }
  }
}
