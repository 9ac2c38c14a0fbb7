import type { Clock } from '@relaygate/shared';

/** Counts running requests, commands or outcomes, so that a stop can wait until none is left. */
export class ActivityCounter {
  #running = 0;
  readonly #waiting = new Set<() => void>();

  get running(): number {
    return this.#running;
  }

  enter(): void {
    this.#running += 1;
  }

  leave(): void {
    this.#running -= 1;
    if (this.#running > 0) return;
    for (const settle of [...this.#waiting]) settle();
  }

  /** Resolves when nothing runs, or after `timeoutMs`. */
  whenIdle(clock: Clock, timeoutMs: number): Promise<void> {
    if (this.#running === 0 || timeoutMs <= 0) return Promise.resolve();
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
  /** Resolves when no request runs, or after `timeoutMs`. */
  whenIdle(clock: Clock, timeoutMs: number): Promise<void>;
  /** Cuts the requests that have not arrived completely, and takes no more. */
  endUploads(): void;
}
