import { RelaygateError } from '@relaygate/shared';

/**
 * Knows whether an unanswered write may still be committed; while it may, a read can be out of date. Writes are committed in
 * their order, so the answer of a later write ends the doubt.
 */
export class WriteDoubt {
  #unanswered = 0;
  /** How many unanswered writes are committed by now, or never will be. */
  #settled = 0;

  get isOpen(): boolean {
    return this.#settled < this.#unanswered;
  }

  async during<T>(write: () => Promise<T>): Promise<T> {
    const before = this.#unanswered;
    try {
      const result = await write();
      this.#settled = Math.max(this.#settled, before);
      return result;
    } catch (error) {
      if (error instanceof RelaygateError && error.code === 'storage-unanswered') this.#unanswered += 1;
      throw error;
    }
  }
}
