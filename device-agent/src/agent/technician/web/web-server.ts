import { timingSafeEqual } from 'node:crypto';
import {
  givenName,
  MAX_BODY_BYTES,
  PLAIN_CHAR,
  parserOf,
  RelaygateError,
  Type,
  WEB_NAME_MAX_CHARS,
} from '@relaygate/shared';
import type { ConsoleLanguage } from '@relaygate/shared/device';
import { type Happened, happened } from '../../history/happened';
import type { Performer } from '../console/console-agent';
import type { PinGate } from '../pin/pin-gate';
import { isOwnOrigin } from './own-origin';
import { PAGE_ACTIONS } from './page-actions';
import { pageSession } from './page-session';
import { admit } from './pin-words';
import type { Session, Sessions } from './sessions';
import type { PageFile, WebAnswer, WebRequest } from './web-exchange';
import { json, problem } from './web-problem';

const COOKIE = '__Host-relaygate';
/**
 * A browser that was let in is known by it when it comes again: it opens nothing, and wrong PINs of others do not keep that
 * browser out.
 */
const BROWSER_COOKIE = '__Host-relaygate-browser';
/** 400 days: browsers keep none for longer. */
const BROWSER_COOKIE_S = 400 * 86_400;
const COOKIE_RULES = 'Path=/; Secure; HttpOnly; SameSite=Strict';
const SESSION_PATH = '/api/session';
const ACTION_PATH = /^\/api\/actions\/([a-z-]{1,32})$/;
/** The groups of a /64. */
const NETWORK_GROUPS = 4;
const JSON_TYPE = /^application\/json\s*(;|$)/i;

/** On every answer. No HSTS, because with it a browser offers no way past a certificate that no authority has signed. */
const SECURITY_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
};

const parseLogIn = parserOf(
  Type.Object({
    pin: Type.String({ maxLength: 64 }),
    /** Who it is, as they say themselves. */
    name: Type.Optional(Type.String({ pattern: `^${PLAIN_CHAR}*$`, maxLength: WEB_NAME_MAX_CHARS })),
  }),
);

export interface WebServerDeps {
  sessions: Sessions;
  pin: Pick<PinGate, 'check' | 'id'>;
  api: Performer;
  page: ReadonlyMap<string, PageFile>;
  hostName: string;
  hasInputs: boolean;
  /** For the log of events. */
  report(what: Happened): void;
  unexpected(error: unknown): void;
}

/** Answers the page's requests while it is on. It decides nothing about outputs; the local API does. */
export class WebServer {
  readonly #deps: WebServerDeps;

  constructor(deps: WebServerDeps) {
    this.#deps = deps;
  }

  /** Never rejects. */
  async answer(request: WebRequest): Promise<WebAnswer> {
    const { status, headers, body, hasSession } = await this.#route(request).catch((error: unknown) => {
      if (!(error instanceof RelaygateError)) this.#deps.unexpected(error);
      return problem(error, languageOf(request));
    });
    return {
      status,
      headers: { ...SECURITY_HEADERS, ...headers },
      body: request.method === 'HEAD' ? '' : body,
      ...(hasSession ? { hasSession } : {}),
    };
  }

  async #route(request: WebRequest): Promise<WebAnswer> {
    const { path } = request;
    if (path === SESSION_PATH) return this.#session(request);
    const type = ACTION_PATH.exec(path)?.[1];
    if (type !== undefined) return this.#action(type, request);
    const file = this.#deps.page.get(path);
    if (file) return shown(file, request);
    throw new RelaygateError('not-found', 'There is nothing at this path of the page.');
  }

  async #session(request: WebRequest): Promise<WebAnswer> {
    this.#refuseForeign(request);
    switch (request.method) {
      case 'GET':
        return { ...json(200, pageSession(this.#loggedIn(request), this.#deps.hasInputs)), hasSession: true };
      case 'POST':
        return this.#logIn(request);
      case 'DELETE': {
        this.#checkCsrf(request, this.#loggedIn(request));
        this.#deps.sessions.end(cookieOf(request, COOKIE) ?? '');
        return json(200, {}, { 'Set-Cookie': `${COOKIE}=; Max-Age=0; ${COOKIE_RULES}` });
      }
      default:
        return notAllowed(request, 'GET, POST, DELETE');
    }
  }

  async #logIn(request: WebRequest): Promise<WebAnswer> {
    const { pin, sessions, hasInputs } = this.#deps;
    const parsed = parseLogIn(bodyOf(request));
    if (!parsed.ok) throw new RelaygateError('invalid-params', `The request is wrong: ${parsed.problem}.`);
    // Read before the check, so that somebody who knows the old PIN is not let in by one that is made meanwhile.
    const pinId = pin.id;
    const visitor = { host: request.host, browserToken: cookieOf(request, BROWSER_COOKIE) };
    const browserToken = await admit(pin, parsed.value.pin, visitor, () =>
      this.#deps.report(happened('wrong-pin', { from: addressText(request.host) })),
    );
    const name = givenName(parsed.value.name ?? '');
    const actor = name === null ? 'page' : `page as ${name}`;
    const { token, session } = sessions.begin(actor, pinId ?? '');
    this.#deps.report(happened('logged-in', { actor }));
    const cookies = [
      `${COOKIE}=${token}; ${COOKIE_RULES}`,
      `${BROWSER_COOKIE}=${browserToken}; Max-Age=${BROWSER_COOKIE_S}; ${COOKIE_RULES}`,
    ];
    return { ...json(200, pageSession(session, hasInputs), { 'Set-Cookie': cookies }), hasSession: true };
  }

  async #action(type: string, request: WebRequest): Promise<WebAnswer> {
    this.#refuseForeign(request);
    if (request.method !== 'POST') return notAllowed(request, 'POST');
    const session = this.#loggedIn(request);
    this.#checkCsrf(request, session);
    if (!PAGE_ACTIONS.has(type)) throw new RelaygateError('not-found', `The page has no action "${type}".`);
    const body = bodyOf(request);
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw new RelaygateError('invalid-params', 'The request is wrong: it is no object.');
    const value = await this.#deps.api.perform(type, { ...body, actor: session.actor }, request.givenUp);
    return { ...json(200, { value }), hasSession: true };
  }

  #loggedIn(request: WebRequest): Session {
    const token = cookieOf(request, COOKIE);
    const session = token === null ? null : this.#deps.sessions.use(token);
    if (!session) throw new RelaygateError('not-logged-in');
    return session;
  }

  #refuseForeign(request: WebRequest): void {
    const origin = request.header('origin');
    if (origin === undefined || isOwnOrigin(origin, request.ownAddress, this.#deps.hostName)) return;
    throw new RelaygateError(
      'foreign-request',
      `The request comes from another page. Open this one by the device's address, or by ${this.#deps.hostName}.local.`,
    );
  }

  #checkCsrf(request: WebRequest, { csrfToken }: Session): void {
    const sent = Buffer.from(request.header('x-csrf-token') ?? '');
    const expected = Buffer.from(csrfToken);
    if (sent.length === expected.length && timingSafeEqual(sent, expected)) return;
    throw new RelaygateError('foreign-request', 'The request lacks the X-CSRF-Token of its session.');
  }
}

function shown({ contentType, bytes, etag }: PageFile, request: WebRequest): WebAnswer {
  const { method, header } = request;
  if (method !== 'GET' && method !== 'HEAD') return notAllowed(request, 'GET, HEAD');
  const headers = { ETag: etag, 'Cache-Control': 'no-cache' };
  if (header('if-none-match') === etag) return { status: 304, headers, body: '' };
  return { status: 200, headers: { ...headers, 'Content-Type': contentType }, body: bytes };
}

function notAllowed(request: WebRequest, allow: string): WebAnswer {
  return problem(new RelaygateError('method-not-allowed'), languageOf(request), { Allow: allow });
}

/** The page names the language in which it is read. */
function languageOf({ header }: WebRequest): ConsoleLanguage {
  return /^fr\b/i.test(header('accept-language') ?? '') ? 'fr' : 'en';
}

/** A host is a /64 or a whole address. */
function addressText(host: string): string {
  return host.split(':').length === NETWORK_GROUPS ? `${host}::/64` : host;
}

function cookieOf({ header }: WebRequest, wanted: string): string | null {
  for (const pair of (header('cookie') ?? '').split(';')) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === wanted && value !== undefined) return value;
  }
  return null;
}

function bodyOf({ header, body }: WebRequest): unknown {
  if (body === null) throw new RelaygateError('payload-too-large', `The body is larger than ${MAX_BODY_BYTES} bytes.`);
  if (!JSON_TYPE.test(header('content-type') ?? ''))
    throw new RelaygateError('invalid-params', 'The body has to be sent as application/json.');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    throw new RelaygateError('invalid-params', 'The body is no JSON.', { cause: error });
  }
}
