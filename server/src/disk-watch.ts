import { type Cancel, type Clock, DISK_LOOK_MS } from '@relaygate/shared';
import type { Log } from './log';

export interface DiskWatchOptions {
  /** Of the data folder, as far as the server may use it. */
  freeBytes(): Promise<number>;
  /** The log warns below this. 0: never. */
  warnBelowBytes: number;
  /** Too little to go on below this. 0: never. */
  lowBelowBytes: number;
}

type Level = 'enough' | 'warning' | 'low';
/** Free space about a limit must not fill the log: what has fallen below it is above it again with a tenth more. */
const HEALED = 1.1;

/** Looks at the free space of the data folder, for a full disk fails every tenant's commands. One line in the log a change. */
export class DiskWatch {
  readonly #options: DiskWatchOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  #level: Level = 'enough';
  #isUnreadable = false;
  #isStopped = false;
  #cancel: Cancel = () => {};

  constructor(options: DiskWatchOptions, clock: Clock, log: Log) {
    this.#options = options;
    this.#clock = clock;
    this.#log = log;
  }

  get isLow(): boolean {
    return this.#level === 'low';
  }

  start(): void {
    void this.#look();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async #look(): Promise<void> {
    try {
      const freeBytes = await this.#options.freeBytes();
      this.#isUnreadable = false;
      this.#note(freeBytes);
    } catch (err) {
      // What is not known is no reason to refuse work.
      if (!this.#isUnreadable) this.#log.warn({ err }, 'free disk space not readable');
      this.#isUnreadable = true;
    }
    if (!this.#isStopped) this.#cancel = this.#clock.after(DISK_LOOK_MS, () => void this.#look());
  }

  #note(freeBytes: number): void {
    const level = this.#levelOf(freeBytes);
    if (level === this.#level) return;
    this.#level = level;
    const fields = { code: `disk-${level}`, freeMib: Math.floor(freeBytes / 2 ** 20) };
    if (level === 'low') this.#log.error(fields, 'the disk is nearly full: not ready');
    else if (level === 'warning') this.#log.warn(fields, 'the disk fills up');
    else this.#log.info(fields, 'the disk has room again');
  }

  #levelOf(freeBytes: number): Level {
    const { warnBelowBytes, lowBelowBytes } = this.#options;
    const isLow = freeBytes < lowBelowBytes * (this.#level === 'low' ? HEALED : 1);
    if (isLow) return 'low';
    return freeBytes < warnBelowBytes * (this.#level === 'enough' ? 1 : HEALED) ? 'warning' : 'enough';
  }
}
