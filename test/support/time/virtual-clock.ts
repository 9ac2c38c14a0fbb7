import type { Cancel, Clock, WallClock } from '@relaygate/shared';

/** A clock that moves only when told; what falls due runs in order, with promises settled in between. */
export class VirtualClock implements Clock, WallClock {
  #nowMs = 1_000;
  #due: { atMs: number; run: () => void }[] = [];

  nowMs(): number {
    return this.#nowMs;
  }

  epochMs(): number {
    return Date.UTC(2026, 0, 1) + this.#nowMs;
  }

  after(delayMs: number, run: () => void): Cancel {
    const timer = { atMs: this.#nowMs + delayMs, run };
    this.#due.push(timer);
    return () => {
      this.#due = this.#due.filter((other) => other !== timer);
    };
  }

  async advance(byMs: number): Promise<void> {
    const untilMs = this.#nowMs + byMs;
    await settled();
    for (let next = this.#nextBefore(untilMs); next; next = this.#nextBefore(untilMs)) {
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      this.#due = this.#due.filter((timer) => timer !== next);
      next.run();
      await settled();
    }
    this.#nowMs = untilMs;
  }

  /** The process is held up for so long: what falls due runs late, with the next `advance`. */
  holdUp(forMs: number): void {
    this.#nowMs += forMs;
  }

  get pendingTimers(): number {
    return this.#due.length;
  }

  #nextBefore(untilMs: number): { atMs: number; run: () => void } | undefined {
    const due = this.#due.filter((timer) => timer.atMs <= untilMs);
    return due.sort((a, b) => a.atMs - b.atMs)[0];
  }
}

/** Lets every promise that can settle without time passing do so: Node runs immediates once no such is left. */
export function settled(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
