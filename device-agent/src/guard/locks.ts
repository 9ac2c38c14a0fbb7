import type { Clock } from '@relaygate/shared';
import type { OutputLock } from './protocol';

/** The maintenance locks in force. The agent keeps them, and says them anew to each guard that it finds. */
export class Locks {
  readonly #clock: Pick<Clock, 'nowMs'>;
  #untilMs: ReadonlyMap<number, number> = new Map();

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock;
  }

  /** These and no others. */
  replace(locks: readonly OutputLock[]): void {
    this.#untilMs = new Map(locks.map(({ numOutput, untilMs }) => [numOutput, untilMs]));
  }

  /** null: the output is not locked. */
  untilMs(numOutput: number): number | null {
    const untilMs = this.#untilMs.get(numOutput);
    return untilMs !== undefined && this.#clock.nowMs() < untilMs ? untilMs : null;
  }
}
