import type { Randomness } from '@relaygate/shared';
import { MAX_KNOWN_BROWSERS, MAX_WRONG_PER_HOUR } from '../../../files/pin-record';
import { drawToken, hashOfToken } from '../secret-token';
import { WrongTries } from './wrong-tries';

/** Who wants to be let in at the page. */
export interface Visitor {
  /** An address; of an IPv6 address in another network, its /64. */
  host: string;
  /** The token that the browser got when it was let in; null: it has shown none. */
  browserToken: string | null;
}

/** Tries that are counted together. */
export interface Source {
  name: string;
  /** Whether the source was let in before. */
  isKnown: boolean;
}

const HOUR_MS = 3_600_000;
const MAX_KNOWN_HOSTS = 8;

/**
 * The wrong PINs at the page, counted for each source, so that a stranger keeps out only strangers of the same address. All
 * of them together are limited too: then every address waits that was never let in, and known ones go on.
 */
export class PageTries {
  readonly #randomness: Randomness;
  /** Strangers with wrong PINs, by host. The limit for all bounds how many these are. I15. */
  readonly #strangers = new Map<string, WrongTries>();
  /** Hosts that were let in since the agent's start; the one let in longest ago first. */
  readonly #hosts = new Map<string, WrongTries>();
  /** Browsers that were let in by this PIN, by the hash of their token; the one let in longest ago first. */
  readonly #browsers = new Map<string, WrongTries>();
  /** When wrong PINs came, the newest last; at most the limit. */
  #wrongMs: number[];

  /** `wrong`, `browsers`: from `kept` before a restart; the wrong ones count for an hour anew. */
  constructor(randomness: Randomness, nowMs: number, wrong = 0, browsers: readonly string[] = []) {
    this.#randomness = randomness;
    this.#wrongMs = Array.from({ length: Math.min(wrong, MAX_WRONG_PER_HOUR) }, () => nowMs);
    for (const browser of browsers) this.#browsers.set(browser, new WrongTries(nowMs));
  }

  sourceOf({ host, browserToken }: Visitor): Source {
    const browser = this.#browserOf(browserToken);
    if (browser !== null) return { name: `browser ${browser}`, isKnown: true };
    return { name: `host ${host}`, isKnown: this.#hosts.has(host) };
  }

  /** `byOthers`: it waits because of the limit for all. */
  waitOf(visitor: Visitor, nowMs: number): { waitMs: number; byOthers: boolean } {
    const ownMs = Math.max(0, (this.#triesOf(visitor)?.untilMs ?? 0) - nowMs);
    if (this.sourceOf(visitor).isKnown) return { waitMs: ownMs, byOthers: false };
    const [oldestMs] = this.#wrongMs;
    const isOver = this.#wrongMs.length < MAX_WRONG_PER_HOUR || oldestMs === undefined;
    const allMs = isOver ? 0 : Math.max(0, oldestMs + HOUR_MS - nowMs);
    return { waitMs: Math.max(ownMs, allMs), byOthers: allMs > ownMs };
  }

  wrong(visitor: Visitor, nowMs: number): void {
    this.#forgetStrangers(nowMs);
    const tries = this.#triesOf(visitor) ?? new WrongTries(nowMs);
    tries.add(nowMs);
    if (!this.sourceOf(visitor).isKnown) this.#strangers.set(visitor.host, tries);
    this.#wrongMs = [...this.#wrongMs, nowMs].slice(-MAX_WRONG_PER_HOUR);
  }

  /** Returns the token by which this browser is known from now on. */
  right({ host, browserToken }: Visitor, nowMs: number): string {
    const known = this.#browserOf(browserToken);
    const token = known === null || browserToken === null ? drawToken(this.#randomness) : browserToken;
    this.#strangers.delete(host);
    letIn(this.#hosts, host, MAX_KNOWN_HOSTS, nowMs);
    letIn(this.#browsers, hashOfToken(token), MAX_KNOWN_BROWSERS, nowMs);
    return token;
  }

  /** What must outlive a restart, so that a restart gives no new tries and keeps no known browser out. */
  kept(nowMs: number): { wrong: number; browsers: string[] } {
    const wrong = this.#wrongMs.filter((atMs) => nowMs - atMs < HOUR_MS).length;
    return { wrong, browsers: [...this.#browsers.keys()] };
  }

  #triesOf({ host, browserToken }: Visitor): WrongTries | undefined {
    const browser = this.#browserOf(browserToken);
    return browser === null ? (this.#hosts.get(host) ?? this.#strangers.get(host)) : this.#browsers.get(browser);
  }

  #browserOf(token: string | null): string | null {
    const hash = token === null ? null : hashOfToken(token);
    return hash !== null && this.#browsers.has(hash) ? hash : null;
  }

  #forgetStrangers(nowMs: number): void {
    for (const [host, { untilMs }] of this.#strangers) if (untilMs + HOUR_MS <= nowMs) this.#strangers.delete(host);
  }
}

/** Adds it as the newest, with no wrong PINs. */
function letIn(known: Map<string, WrongTries>, name: string, most: number, nowMs: number): void {
  known.delete(name);
  known.set(name, new WrongTries(nowMs));
  const [longestAgo] = known.keys();
  if (known.size > most && longestAgo !== undefined) known.delete(longestAgo);
}
