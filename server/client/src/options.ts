import { type Clock, type Fetch, isPage, pageUrl, systemClock, systemFetch } from './platform';

/** As a device takes `ws://`: credentials in the clear go to this machine only. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const DEFAULT_RETRY_MS = 10_000;
/** Far below the day that a server keeps a key. */
const MAX_RETRY_MS = 3_600_000;
const IDEMPOTENCY_KEY = /^[!-~]([ -~]{0,253}[!-~])?$/;

/** `rejected`: the token that the server has just refused; give another one. */
export type GetAccessToken = (rejected: string | undefined) => string | Promise<string>;

export interface ClientOptions {
  /** The address of the API, which ends with `/api`. `http:` only to this machine. In a page it may be relative. */
  baseUrl: string;
  /** For programs that can keep a secret; refused in pages. Either this or `getAccessToken`. */
  clientKey?: string | undefined;
  /** Asked before each request. For pages, and for programs whose tokens come from elsewhere. */
  getAccessToken?: GetAccessToken | undefined;
  /** How long after a call the client may begin another try, in milliseconds, 0 to 3,600,000: 10,000 if absent. */
  retryForMs?: number | undefined;
  /** Ends every call of this client. */
  signal?: AbortSignal | undefined;
  /** Instead of the global one. */
  fetch?: Fetch | undefined;
  /** For tests that play with time. */
  clock?: Clock | undefined;
}

export interface CallOptions {
  /** Ends this call. */
  signal?: AbortSignal | undefined;
  /** Instead of the client's. */
  retryForMs?: number | undefined;
}

export interface CommandOptions extends CallOptions {
  /** 1 to 255 printable characters. A call with the same key does not execute again; each call has a random one if absent. */
  idempotencyKey?: string | undefined;
}

export interface PageOptions extends CallOptions {
  /** The most rows of a page, 1 to 100: 50 if absent. */
  limit?: number | undefined;
  /** `next` of the page before. */
  cursor?: string | undefined;
}

export interface ProductListOptions extends PageOptions {
  connected?: boolean | undefined;
  activated?: boolean | undefined;
}

export interface CommandListOptions extends PageOptions {
  /** UTC, as `2026-03-01T12:00:00.000Z`: only those that were accepted then or later. */
  since?: string | undefined;
}

export interface CheckedOptions extends ClientOptions {
  retryForMs: number;
  fetch: Fetch;
  clock: Clock;
}

/** Throws a TypeError that says what is wrong. */
export function checked(options: ClientOptions): CheckedOptions {
  const {
    clientKey,
    getAccessToken,
    retryForMs = DEFAULT_RETRY_MS,
    fetch = systemFetch,
    clock = systemClock,
  } = options;
  if ((clientKey === undefined) === (getAccessToken === undefined))
    throw new TypeError('give either clientKey or getAccessToken');
  if (clientKey !== undefined && isPage())
    throw new TypeError('a client key in a page is no secret: let your server log in, and give getAccessToken');
  return { ...options, baseUrl: checkedBaseUrl(options.baseUrl), retryForMs: checkedRetryMs(retryForMs), fetch, clock };
}

function checkedBaseUrl(baseUrl: string): string {
  const from = pageUrl();
  if (!URL.canParse(baseUrl, from)) throw new TypeError(`baseUrl is no address: ${baseUrl}`);
  const { protocol, hostname, origin, pathname, search, hash, username, password } = new URL(baseUrl, from);
  if (protocol !== 'https:' && (protocol !== 'http:' || !LOOPBACK.test(hostname)))
    throw new TypeError('baseUrl must begin with https://; http:// is for a server on this machine only');
  const path = pathname.replace(/\/+$/, '');
  if (!path.endsWith('/api') || search || hash || username || password)
    throw new TypeError('baseUrl must end with /api, without user, query or fragment');
  return origin + path;
}

export function checkedRetryMs(retryForMs: number): number {
  if (typeof retryForMs === 'number' && retryForMs >= 0 && retryForMs <= MAX_RETRY_MS) return retryForMs;
  throw new TypeError(`retryForMs must be 0 to ${MAX_RETRY_MS}`);
}

export function checkedKey(key: string): string {
  if (typeof key === 'string' && IDEMPOTENCY_KEY.test(key)) return key;
  throw new TypeError('idempotencyKey must be 1 to 255 printable ASCII characters, without a space at its ends');
}
