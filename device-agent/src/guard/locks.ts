import type { Clock } from '@relaygate/shared';
import type { OutputLock } from './protocol';

/** How long a guard that starts waits for its agent's locks. After that buttons work without an agent. */
const AWAITED_MS = 60_000;

/** The maintenance locks in force. The agent keeps them, and sends them to each guard that it finds. */
export class Locks {
  readonly #clock: Pick<Clock, 'nowMs'>;
  /** Until when the agent's locks are awaited. */
  readonly #awaitedUntilMs: number;
  #areKnown = false;
  #untilMs: ReadonlyMap<number, number> = new Map();

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock;
    this.#awaitedUntilMs = clock.nowMs() + AWAITED_MS;
  }

  /** Replaces all locks. */
  replace(locks: readonly OutputLock[]): void {
    this.#areKnown = true;
    this.#untilMs = new Map(locks.map(({ numOutput, untilMs }) => [numOutput, untilMs]));
  }

  /** null: the output is not locked. */
  untilMs(numOutput: number): number | null {
    const untilMs = this.#untilMs.get(numOutput);
    return untilMs !== undefined && this.#clock.nowMs() < untilMs ? untilMs : null;
  }

  /** True as well while the agent's locks are still awaited. */
  mayBeLocked(numOutput: number): boolean {
    const isAwaited = !this.#areKnown && this.#clock.nowMs() < this.#awaitedUntilMs;
    return isAwaited || this.untilMs(numOutput) !== null;
  }
}
