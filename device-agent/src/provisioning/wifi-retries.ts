/**
 * When a Wi-Fi is to be tried again. NetworkManager gives a network up whose passphrase was refused once; but a router may
 * have been wrong for a while, and nobody is near the device.
 */
const FIRST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 600_000;

export class WifiRetries {
  #waitMs = FIRST_WAIT_MS;
  /** null: it is connected, or was never looked at. */
  #dueMs: number | null = null;

  /** Called at each look. True: it has been away for so long that it is to be tried now. */
  isDue(nowMs: number, isConnected: boolean): boolean {
    if (isConnected) {
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
