import { MAX_REPLAYS_LOGGED_PER_MINUTE, type WallClock } from '@relaygate/shared';
import type { Log } from '../log/log';
import type { RefreshFamily } from './family-store';

const MINUTE_MS = 60_000;

/**
 * Logs refresh tokens that were used a second time: after a lost answer, or by somebody with a copy. A replay logs one line a
 * minute for each token, and at most MAX_REPLAYS_LOGGED_PER_MINUTE in all; the next line shows the count of the others (I15).
 */
export class ReuseLog {
  readonly #log: Log;
  readonly #wallClock: WallClock;
  readonly #noted = new Set<string>();
  #minute = 0;
  #more = 0;

  constructor(log: Log, wallClock: WallClock) {
    this.#log = log;
    this.#wallClock = wallClock;
  }

  /** The token got the same successor again. */
  replayed({ familyId, clientId, keyId, generation }: RefreshFamily): void {
    const minute = Math.floor(this.#wallClock.epochMs() / MINUTE_MS);
    if (minute !== this.#minute) this.#noted.clear();
    this.#minute = minute;
    const token = `${familyId} ${generation}`;
    if (this.#noted.has(token)) return;
    if (this.#noted.size >= MAX_REPLAYS_LOGGED_PER_MINUTE) {
      this.#more += 1;
      return;
    }
    this.#noted.add(token);
    const more = this.#more === 0 ? {} : { more: this.#more };
    this.#more = 0;
    this.#log.info({ clientId, keyId, familyId, ...more }, 'refresh token replayed');
  }

  /** The family was revoked, which the audit records as well. */
  revoked({ familyId, clientId, keyId }: RefreshFamily): void {
    this.#log.warn({ clientId, keyId, familyId }, 'old refresh token used again: its login is revoked');
  }
}
