import type { Clock } from '@relaygate/shared';

/** Counts what is under way (requests, commands, outcomes), so that a stop can wait for the last of it. */
export class OpenCount {
  #open = 0;
  readonly #waiting = new Set<() => void>();

  get open(): number {
    return this.#open;
  }

  enter(): void {
    this.#open += 1;
  }

  leave(): void {
    this.#open -= 1;
    if (this.#open > 0) return;
    for (const none of [...this.#waiting]) none();
  }

  /** Resolves when nothing is open, or after `timeoutMs`. */
  none(clock: Clock, timeoutMs: number): Promise<void> {
    if (this.#open === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const settle = (): void => {
        cancel();
        this.#waiting.delete(settle);
        resolve();
      };
      const cancel = clock.after(timeoutMs, settle);
      this.#waiting.add(settle);
    });
  }
}

/** The requests that a stop waits for. */
export interface RunningRequests {
  /** Resolves when there is none, or after `timeoutMs`. */
  none(clock: Clock, timeoutMs: number): Promise<void>;
  /** Gives up those that are not whole yet, and takes no more. */
  endUploads(): void;
}
