import type { NetworkView } from './network-view';

/**
 * When a Wi-Fi is tried again. NetworkManager gives a network up whose passphrase was refused once; but the router may have
 * been wrong for a while, and nobody is near the device.
 */
const FIRST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 600_000;

export class WifiRetries {
  #waitMs = FIRST_WAIT_MS;
  /** null: it is connected, or was never looked at. */
  #dueMs: number | null = null;

  /** Called at each look. True: the Wi-Fi has been away for so long that it must be tried now. */
  isDue(nowMs: number, { isConnected, wifi }: NetworkView): boolean {
    // The address may be that of a cable.
    const isThere = wifi === 'unknown' ? isConnected : wifi === 'connected';
    if (isThere) {
      this.#dueMs = null;
      this.#waitMs = FIRST_WAIT_MS;
      return false;
    }
    this.#dueMs ??= nowMs + this.#waitMs;
    if (nowMs < this.#dueMs) return false;
    this.#waitMs = Math.min(LONGEST_WAIT_MS, this.#waitMs * 2);
    this.#dueMs = nowMs + this.#waitMs;
    return true;
  }
}
