import type { Clock } from '@relaygate/shared';
import type { OutputLock } from './protocol';

/** A guard that starts waits so long for its agent's word. Then it goes by what it knows: buttons work without an agent. */
const AWAITED_MS = 60_000;

/** The maintenance locks in force. The agent keeps them, and says them anew to each guard that it finds. */
export class Locks {
  readonly #clock: Pick<Clock, 'nowMs'>;
  /** Until when they may yet come. */
  readonly #awaitedUntilMs: number;
  #areTold = false;
  #untilMs: ReadonlyMap<number, number> = new Map();

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock;
    this.#awaitedUntilMs = clock.nowMs() + AWAITED_MS;
  }

  /** These and no others. */
  replace(locks: readonly OutputLock[]): void {
    this.#areTold = true;
    this.#untilMs = new Map(locks.map(({ numOutput, untilMs }) => [numOutput, untilMs]));
  }

  /** null: the output is not locked. */
  untilMs(numOutput: number): number | null {
    const untilMs = this.#untilMs.get(numOutput);
    return untilMs !== undefined && this.#clock.nowMs() < untilMs ? untilMs : null;
  }

  /** Also while the agent may yet say so. */
  mayBeLocked(numOutput: number): boolean {
    const isAwaited = !this.#areTold && this.#clock.nowMs() < this.#awaitedUntilMs;
    return isAwaited || this.untilMs(numOutput) !== null;
  }
}
