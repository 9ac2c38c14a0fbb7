import { type Clock, LINK_FRAME_BURST, LINK_FRAMES_PER_SECOND } from '@relaygate/shared';

/** A token bucket: a device may send a burst, and a steady rate behind it (I15, T18). */
export class FrameBudget {
  readonly #clock: Clock;
  #left = LINK_FRAME_BURST;
  #refilledMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#refilledMs = clock.nowMs();
  }

  /** What the server itself asks for is no flood: the answers to it come on top. */
  allow(frames: number): void {
    this.#left = Math.min(LINK_FRAME_BURST, this.#left + frames);
  }

  /** False when the device has used up its frames. */
  take(): boolean {
    const nowMs = this.#clock.nowMs();
    this.#left = Math.min(LINK_FRAME_BURST, this.#left + ((nowMs - this.#refilledMs) / 1000) * LINK_FRAMES_PER_SECOND);
    this.#refilledMs = nowMs;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
