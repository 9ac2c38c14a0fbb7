import type { Clock } from '@relaygate/shared';
import { SAVE_PATIENCE_MS } from '@relaygate/shared/device-limits';
import { Mutex } from 'async-mutex';
import type { Cause } from '../runtime/cause';
import { cause, failure } from '../runtime/problem';

export interface TimelySavesDeps {
  clock: Clock;
  /** Writes what is wanted when it begins. */
  write(): Promise<void>;
  /** A write has not ended in time. */
  silent(problem: Cause): void;
}

/**
 * Writes one file, one write after the other. Nobody waits longer than SAVE_PATIENCE_MS, and after that nobody waits until
 * that write ends, so that a disk that hangs delays no start, no lock and no change of settings. Late writes are kept all
 * the same.
 */
export class TimelySaves {
  readonly #deps: TimelySavesDeps;
  readonly #mutex = new Mutex();
  /** The next write, which has not begun; whoever asks meanwhile shares it. I15. */
  #next: Promise<void> | null = null;
  #isSilent = false;

  constructor(deps: TimelySavesDeps) {
    this.#deps = deps;
  }

  /** Resolves when what is wanted now is written. Rejects when it was not, or not in time. */
  save(): Promise<void> {
    this.#next ??= this.#nextWrite();
    const written = this.#next;
    const { clock, silent } = this.#deps;
    // It may fail while nobody waits for it.
    written.catch(() => {});
    if (this.#isSilent) return Promise.reject(failure('disk-silent', {}));
    return new Promise((resolve, reject) => {
      const cancel = clock.after(SAVE_PATIENCE_MS, () => {
        this.#isSilent = true;
        silent(cause('disk-silent', {}));
        reject(failure('disk-silent', {}));
      });
      written.finally(cancel).then(resolve, reject);
    });
  }

  /** Resolves once all that was asked for until now has been tried, however long the disk takes. */
  tried(): Promise<void> {
    return this.#mutex.runExclusive(() => {});
  }

  #nextWrite(): Promise<void> {
    return this.#mutex.runExclusive(async () => {
      this.#next = null;
      try {
        await this.#deps.write();
      } finally {
        this.#isSilent = false;
      }
    });
  }
}
