import { monotonicNowMs } from '@relaygate/shared/system';
import { processorWaitMs, stolenMs } from './processor-wait';

const LOOK_EVERY_MS = 10;
/** Longer than any repetition. */
const KEPT_MS = 600_000;

interface Look {
  readonly atMs: number;
  /** By how much this process looked too late. */
  readonly lateMs: number;
  /** How long the server and all of the machine waited for a processor since the look before. */
  readonly waitedMs: number;
}

/**
 * How late the machine is, not the programs on it. With more to do than it can, or with a host that takes its processors
 * away, an answer that the server's timer owes is sent late and one that came in time is read late: a judge must know by
 * how much his watch is wrong. What the server itself does too long, with a processor, does not count.
 */
export class Lateness {
  readonly #looks: Look[] = [];
  readonly #timer: NodeJS.Timeout;
  #serverPid: number | null = null;
  #waitedMs = 0;

  constructor() {
    let dueMs = monotonicNowMs() + LOOK_EVERY_MS;
    this.#waitedMs = this.#waitedInAllMs();
    this.#timer = setInterval(() => {
      const atMs = monotonicNowMs();
      const waitedMs = this.#waitedInAllMs();
      // Threads that have ended took their share with them.
      const look = { atMs, lateMs: Math.max(0, atMs - dueMs), waitedMs: Math.max(0, waitedMs - this.#waitedMs) };
      this.#waitedMs = waitedMs;
      if (look.lateMs > 0 || look.waitedMs > 0) this.#looks.push(look);
      dueMs = atMs + LOOK_EVERY_MS;
      while ((this.#looks[0]?.atMs ?? atMs) < atMs - KEPT_MS) this.#looks.shift();
    }, LOOK_EVERY_MS);
  }

  /** From here on the server is this process. */
  watch(serverPid: number): void {
    this.#serverPid = serverPid;
    this.#waitedMs = this.#waitedInAllMs();
  }

  /** By how much something between these moments may have happened late, in milliseconds; looks back 10 minutes at most. */
  between(fromMs: number, toMs: number): number {
    const looks = this.#looks.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs + LOOK_EVERY_MS);
    const worstMs = looks.reduce((worst, { lateMs }) => Math.max(worst, lateMs), 0);
    return looks.reduce((sum, { waitedMs }) => sum + waitedMs, worstMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #waitedInAllMs(): number {
    return stolenMs() + (this.#serverPid === null ? 0 : processorWaitMs(this.#serverPid));
  }
}
