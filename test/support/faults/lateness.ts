import { monotonicNowMs } from '@relaygate/shared/system';

const LOOK_EVERY_MS = 10;
const KEPT_MS = 10_000;

/**
 * How late this process itself runs. On a machine with more to do than it can, an answer that came in time is read
 * late; a judge must know by how much his own watch is wrong.
 */
export class Lateness {
  readonly #seen: { atMs: number; lateMs: number }[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor() {
    let dueMs = monotonicNowMs() + LOOK_EVERY_MS;
    this.#timer = setInterval(() => {
      const atMs = monotonicNowMs();
      this.#seen.push({ atMs, lateMs: Math.max(0, atMs - dueMs) });
      dueMs = atMs + LOOK_EVERY_MS;
      while ((this.#seen[0]?.atMs ?? atMs) < atMs - KEPT_MS) this.#seen.shift();
    }, LOOK_EVERY_MS);
  }

  /** The worst since then, in milliseconds; looks back 10 s at most. */
  since(fromMs: number): number {
    return this.#seen.reduce((worst, { atMs, lateMs }) => (atMs >= fromMs ? Math.max(worst, lateMs) : worst), 0);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
