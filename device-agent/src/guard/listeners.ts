import type { Log } from '../runtime/log';
import { problemOf } from '../runtime/problem';

/** Those who look on at what the guard shows. */
export class Listeners {
  readonly #log: Pick<Log, 'warn'>;
  readonly #listeners = new Set<() => void>();

  constructor(log: Pick<Log, 'warn'>) {
    this.#log = log;
  }

  /** The result ends it. */
  add(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Never throws: whoever looks on stops neither a state machine nor a command. */
  notify(): void {
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch (error) {
        this.#log.warn(`what the guard shows could not be passed on: ${problemOf(error)}`);
      }
    }
  }
}
