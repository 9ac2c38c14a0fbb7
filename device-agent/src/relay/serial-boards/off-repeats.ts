import type { Cancel, Clock } from '@relaygate/shared';

/** Repeats "off" for boards that do not answer: one lost byte must not leave a relay on. */
export class OffRepeats {
  readonly #clock: Clock;
  readonly #write: (line: number, frame: Uint8Array) => void;
  readonly #pending = new Map<number, { frame: Uint8Array; cancel: Cancel }>();

  constructor(clock: Clock, write: (line: number, frame: Uint8Array) => void) {
    this.#clock = clock;
    this.#write = write;
  }

  /** `afterMs`: when to write it, each counted from now, ascending. */
  begin(line: number, frame: Uint8Array, afterMs: readonly number[]): void {
    this.end(line);
    const fromMs = this.#clock.nowMs();
    const [nextMs, ...laterMs] = afterMs;
    if (nextMs === undefined) return;
    const cancel = this.#clock.after(nextMs, () => {
      this.begin(
        line,
        frame,
        laterMs.map((ms) => Math.max(0, ms - (this.#clock.nowMs() - fromMs))),
      );
      this.#write(line, frame);
    });
    this.#pending.set(line, { frame, cancel });
  }

  /** Another order for the line has come. */
  end(line: number): void {
    this.#pending.get(line)?.cancel();
    this.#pending.delete(line);
  }

  /** Returns the frames that were still to be written. */
  endAll(): Uint8Array[] {
    const pending = [...this.#pending.values()];
    for (const { cancel } of pending) cancel();
    this.#pending.clear();
    return pending.map(({ frame }) => frame);
  }
}
