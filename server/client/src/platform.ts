/**
 * What the client takes from where it runs: Node, or a browser. Only this file knows it.
 */

/** Milliseconds. */
export interface Clock {
  /** Never goes back. */
  nowMs(): number;
  /** Returns what cancels it. */
  after(delayMs: number, run: () => void): () => void;
}

let nowMs = 0;
let monotonicMs = performance.now();
let wallMs = Date.now();

export const systemClock: Clock = {
  /** A machine's monotonic clock may stand still while it sleeps. If it did here, a command would be tried again after a night. */
  nowMs() {
    const before = { monotonicMs, wallMs };
    [monotonicMs, wallMs] = [performance.now(), Date.now()];
    // The wall clock shows whole milliseconds, so a step of it may be one too long.
    nowMs += Math.max(monotonicMs - before.monotonicMs, wallMs - before.wallMs - 1);
    return nowMs;
  },
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

export type Fetch = typeof fetch;

/** Looked up at each call, so that it may be replaced. */
export const systemFetch: Fetch = (...args) => fetch(...args);

/** From 0 to below 1, for the wait before a retry. */
export const random = (): number => Math.random();

/** The code of a page and of its workers can be read by whoever opens it, so no secret may be there. */
export const isPage = (): boolean => 'document' in globalThis || 'importScripts' in globalThis;

/** What a relative address counts from. */
export const pageUrl = (): string | undefined => (typeof location === 'undefined' ? undefined : location.href);

/** 122 random bits or more. `randomUUID` is missing in pages that came over plain HTTP. */
export function newIdempotencyKey(): string {
  if (crypto.randomUUID) return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
