/** The server's true clock on one link, and what exchanges have let the device know of it. */
export class ServerTime {
  readonly #originMs: number;
  readonly #serverMs: number;
  readonly #speed: number;
  readonly #lifeMs: number;
  #exchanged: { sentMs: number; receivedMs: number }[] = [];

  /** The server's clock stands at `serverMs` when the device's stands at `originMs`. */
  constructor(originMs: number, serverMs: number, speed: number, lifeMs: number) {
    this.#originMs = originMs;
    this.#serverMs = serverMs;
    this.#speed = speed;
    this.#lifeMs = lifeMs;
  }

  /** What the server's clock says at a moment of the device's. */
  at(deviceMs: number): number {
    return this.#serverMs + this.#speed * (deviceMs - this.#originMs);
  }

  exchanged(exchange: { sentMs: number; receivedMs: number }): void {
    this.#exchanged.push(exchange);
  }

  get exchanges(): number {
    return this.#exchanged.length;
  }

  isKnownAt(nowMs: number): boolean {
    return this.#alive(nowMs).length > 0;
  }

  bestRttMs(nowMs: number): number {
    return Math.min(...this.#alive(nowMs).map(({ sentMs, receivedMs }) => receivedMs - sentMs));
  }

  #alive(nowMs: number): { sentMs: number; receivedMs: number }[] {
    return this.#exchanged.filter(({ receivedMs }) => nowMs - receivedMs <= this.#lifeMs);
  }
}
