import { RelaygateError } from '@relaygate/shared';

/**
 * Whether a write that nobody answered may come yet. Until then a read is not the last word. Writes are committed in their
 * order, so one that was asked for later and is answered ends the doubt.
 */
export class WriteDoubt {
  #unanswered = 0;
  /** So many of them are committed, or never will be. */
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
