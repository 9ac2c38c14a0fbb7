/** Tells a disk that is too slow for a server's write from a server that loses it: the disk is asked by the test, too. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { STORAGE_WRITE_TIMEOUT_MS } from '@relaygate/shared';
import { monotonicNowMs } from '@relaygate/shared/system';
import { Inconclusive } from './excuse';
import type { Window } from './stall-record';
import { eventually } from './waiting';

/** A disk that keeps a small write of the test waiting for so long has kept a larger one of the server beyond its time. */
const SLOW_MS = STORAGE_WRITE_TIMEOUT_MS / 2;

/** A 500 `storage-unavailable`: right by the contract where the disk has not taken a write in time. */
export class NotTaken extends Error {
  readonly window: Window;

  constructor(what: string) {
    super(`${what} was not taken by the disk in time`);
    const toMs = monotonicNowMs();
    this.window = { fromMs: toMs - STORAGE_WRITE_TIMEOUT_MS, toMs };
  }
}

export function isNotTaken({ status, text }: { status: number | null; text: string }): boolean {
  return status === 500 && text.includes('storage-unavailable');
}

/** Writes beside the programs to the disk of this folder, until `stop`. */
export class DiskWatch {
  readonly #file: string;
  readonly #worker: Worker;
  readonly #writes: Window[] = [];

  private constructor(folder: string) {
    this.#file = join(folder, 'disk-watch');
    this.#worker = new Worker(join(__dirname, 'disk-probe.js'), { workerData: { file: this.#file } });
    this.#worker.on('message', (write: Window) => this.#writes.push(write));
  }

  /** Resolves once the disk has taken its first write: nothing is known of what was before. */
  static async start(folder: string): Promise<DiskWatch> {
    const watch = new DiskWatch(folder);
    await eventually(() => watch.#writes.length > 0);
    return watch;
  }

  /** How long the disk took at most for a write that fell into the window. */
  async longestMs({ fromMs, toMs }: Window): Promise<number> {
    await eventually(() => (this.#writes.at(-1)?.fromMs ?? 0) > toMs);
    const within = this.#writes.filter((write) => write.toMs >= fromMs && write.fromMs <= toMs);
    return Math.max(0, ...within.map((write) => write.toMs - write.fromMs));
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
    rmSync(this.#file, { force: true });
  }
}

/** Rejects with what an error of a repetition says of the program: nothing, where the disk was too slow for the test as well. */
export async function judgeNotTaken(error: unknown, disk: Pick<DiskWatch, 'longestMs'>): Promise<never> {
  if (!(error instanceof NotTaken)) throw error;
  const tookMs = Math.round(await disk.longestMs(error.window));
  if (tookMs < SLOW_MS) throw new Error(`${error.message}, and yet took each of the test's own within ${tookMs} ms`);
  throw new Inconclusive(`inconclusive: ${error.message}, and kept the test's own waiting for ${tookMs} ms, too`);
}
