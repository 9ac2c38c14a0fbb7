/** How many new connections to the page's port may come. Knows no socket. */

/** Their handshakes take the agent's time. A page opens six. */
const OF_ONE_HOST: Allowance = { atOnce: 30, perS: 5 };
const OF_ALL_HOSTS: Allowance = { atOnce: 80, perS: 40 };

interface Allowance {
  atOnce: number;
  perS: number;
}

/**
 * A host that comes too often is refused before it takes anything from the others. Those of a host where somebody is logged
 * in are refused for its own only, so that nobody is cut off by however many strangers.
 */
export class ConnectionRate {
  readonly #all = new Tokens(OF_ALL_HOSTS);
  /** Of hosts that have taken some; one that is full again is forgotten. The limit for all bounds how many these are. I15. */
  readonly #byHost = new Map<string, Tokens>();

  take(host: string, hasSession: boolean, nowMs: number): boolean {
    for (const [name, tokens] of this.#byHost) if (tokens.isFull(nowMs)) this.#byHost.delete(name);
    const own = this.#byHost.get(host) ?? new Tokens(OF_ONE_HOST);
    if (!own.has(nowMs) || !(hasSession || this.#all.take(nowMs))) return false;
    own.take(nowMs);
    this.#byHost.set(host, own);
    return true;
  }

  get hosts(): number {
    return this.#byHost.size;
  }
}

class Tokens {
  readonly #allowance: Allowance;
  #left: number;
  #filledMs: number | null = null;

  constructor(allowance: Allowance) {
    this.#allowance = allowance;
    this.#left = allowance.atOnce;
  }

  take(nowMs: number): boolean {
    if (!this.has(nowMs)) return false;
    this.#left -= 1;
    return true;
  }

  has(nowMs: number): boolean {
    this.#fill(nowMs);
    return this.#left >= 1;
  }

  isFull(nowMs: number): boolean {
    this.#fill(nowMs);
    return this.#left >= this.#allowance.atOnce;
  }

  #fill(nowMs: number): void {
    const { atOnce, perS } = this.#allowance;
    this.#left = Math.min(atOnce, this.#left + ((nowMs - (this.#filledMs ?? nowMs)) / 1_000) * perS);
    this.#filledMs = nowMs;
  }
}
