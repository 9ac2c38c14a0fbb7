import type { DriveOrder, DriveResult } from '@relaygate/device-agent/relay/relay-driver';
import type { Clock } from '@relaygate/shared';
import type { FakeBoard } from '../../../support/device/fake-board';
import type { BoardMode } from './guard-moves';

const LATE_MS = 40;

/** How a board in memory does by now, and until when it or its answers were bad. */
export class FailingBoard {
  readonly #board: FakeBoard;
  readonly #clock: Clock;
  #mode: BoardMode = 'works';
  #badMs = 0;

  constructor(board: FakeBoard, clock: Clock) {
    this.#board = board;
    this.#clock = clock;
  }

  get isAway(): boolean {
    return this.#mode === 'away';
  }

  /** In ms of the clock; now, while it is bad. */
  get badUntilMs(): number {
    return this.#isBad ? this.#clock.nowMs() : this.#badMs;
  }

  enter(mode: BoardMode): void {
    const wasAway = this.isAway;
    this.#badMs = this.badUntilMs;
    this.#mode = mode;
    if (this.isAway && !wasAway) this.#board.unplug();
    if (wasAway && !this.isAway) this.#board.plug();
  }

  /** Null: the order works. */
  answer(order: DriveOrder): DriveResult | Promise<DriveResult> | null {
    switch (this.#mode) {
      case 'works':
        return null;
      case 'late': {
        const result = this.#board.move(order);
        return new Promise((resolve) => void this.#clock.after(LATE_MS, () => resolve(result)));
      }
      case 'fails':
      case 'away':
        return { kind: 'failed', problem: 'no power' };
      case 'hangs':
        return new Promise(() => {});
      default:
        return this.#mode satisfies never;
    }
  }

  get #isBad(): boolean {
    return this.#mode !== 'works' && this.#mode !== 'late';
  }
}
