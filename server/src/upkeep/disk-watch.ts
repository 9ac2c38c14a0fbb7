import { type Cancel, type Clock, DISK_CHECK_MS } from '@relaygate/shared';
import type { Log } from '../log/log';

export interface DiskWatchOptions {
  /** Of the data folder, for the server's user. */
  freeBytes(): Promise<number>;
  /** The log warns below this. 0: never. */
  warnBelowBytes: number;
  /** The server is not ready below this. 0: never. */
  lowBelowBytes: number;
}

type Level = 'enough' | 'warning' | 'low';
/** The level rises again only a tenth above its limit, so that small changes around the limit do not fill the log. */
const RECOVERED = 1.1;

/** Checks the free space of the data folder, because a full disk fails every command. Logs each change of the level. */
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
    void this.#check();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async #check(): Promise<void> {
    try {
      const freeBytes = await this.#options.freeBytes();
      this.#isUnreadable = false;
      this.#report(freeBytes);
    } catch (err) {
      // The server works on, and /readyz keeps the last level.
      if (!this.#isUnreadable) this.#log.warn({ err }, 'free disk space not readable');
      this.#isUnreadable = true;
    }
    if (!this.#isStopped) this.#cancel = this.#clock.after(DISK_CHECK_MS, () => void this.#check());
  }

  #report(freeBytes: number): void {
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
    const isLow = freeBytes < lowBelowBytes * (this.#level === 'low' ? RECOVERED : 1);
    if (isLow) return 'low';
    return freeBytes < warnBelowBytes * (this.#level === 'enough' ? 1 : RECOVERED) ? 'warning' : 'enough';
  }
}
