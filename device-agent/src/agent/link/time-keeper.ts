import type { Cancel, Clock } from '@relaygate/shared';
import type { Files } from '../../files/files';
import { lastGoodTimeFile } from '../../files/last-good-time';
import type { Log } from '../../runtime/log';
import { problemOf } from '../../runtime/problem';

/** A link that flaps must not wear the card. */
const BETWEEN_WRITES_MS = 10 * 60_000;
/** How often the time is saved while the link stays up. */
const REFRESH_MS = 6 * 3_600_000;

export interface TimeKeeperDeps {
  files: Files;
  clock: Clock;
  log: Log;
  path: string;
  /** The time by which the link that is up was made, gone on since; null: there is none whose certificate was checked. */
  linkTimeMs(): number | null;
}

/**
 * Keeps the time at which a link to the proven server last stood. That time lies within the validity of the server's
 * certificate, so a false time server cannot make this device take all later certificates for expired.
 */
export class TimeKeeper {
  readonly #deps: TimeKeeperDeps;
  #writtenMs = Number.NEGATIVE_INFINITY;
  #cancel: Cancel | null = null;

  constructor(deps: TimeKeeperDeps) {
    this.#deps = deps;
  }

  linkChanged(): void {
    if (this.#deps.linkTimeMs() === null) return this.stop();
    if (this.#cancel === null) this.#saveAfter(this.#writtenMs + BETWEEN_WRITES_MS - this.#deps.clock.nowMs());
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  #saveAfter(delayMs: number): void {
    this.#cancel = this.#deps.clock.after(Math.max(0, delayMs), () => {
      this.#saveAfter(REFRESH_MS);
      void this.#save();
    });
  }

  /** A failure is ignored: the device works without it, and the next start may need a time server. */
  async #save(): Promise<void> {
    const { files, clock, log, path, linkTimeMs } = this.#deps;
    const timeMs = linkTimeMs();
    if (timeMs === null) return;
    this.#writtenMs = clock.nowMs();
    try {
      await lastGoodTimeFile(files, path).save({ epochMs: Math.floor(timeMs) });
    } catch (error) {
      log.warn(`${path} cannot be written: ${problemOf(error)}`);
    }
  }
}
