import { type Clock, EXECUTION_DEADLINE_MS } from '@relaygate/shared';
import type { WebInMemory } from './web-in-memory';

interface Said {
  status: number;
  headers: Readonly<Record<string, string | readonly string[]>>;
  value: unknown;
}

/** A technician's browser at the page in memory: keeps its cookie and its token. */
export class PageClient {
  readonly #web: WebInMemory;
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #host: string;
  /** Of its session. */
  cookie: string | null = null;
  /** By which it is known when it comes again. */
  browserCookie: string | null = null;
  csrfToken = '';

  /** `clock`: the device's, as its status tells it. */
  constructor(web: WebInMemory, clock: Pick<Clock, 'nowMs'>, host = '192.0.2.77') {
    this.#web = web;
    this.#clock = clock;
    this.#host = host;
  }

  async logIn(pin: string, name?: string): Promise<Said> {
    const said = await this.send('POST', '/api/session', { body: { pin, ...(name === undefined ? {} : { name }) } });
    const [cookie, browserCookie] = [said.headers['Set-Cookie'] ?? []].flat().map((text) => text.split(';')[0] ?? '');
    if (cookie !== undefined) this.cookie = cookie;
    if (browserCookie !== undefined) this.browserCookie = browserCookie;
    const { value } = said;
    if (typeof value === 'object' && value && 'csrfToken' in value) this.csrfToken = String(value.csrfToken);
    return said;
  }

  act(type: string, body: object = {}, headers: Record<string, string> = {}): Promise<Said> {
    const token = { 'x-csrf-token': this.csrfToken };
    return this.send('POST', `/api/actions/${type}`, {
      body: { notAfterMs: this.#clock.nowMs() + EXECUTION_DEADLINE_MS, ...body },
      headers: { ...token, ...headers },
    });
  }

  async send(
    method: string,
    path: string,
    { headers = {}, body }: { headers?: Record<string, string>; body?: object | Uint8Array | null } = {},
  ): Promise<Said> {
    const cookies = [this.cookie, this.browserCookie].filter((one) => one !== null);
    const cookie: Record<string, string> = cookies.length === 0 ? {} : { cookie: ['other=1', ...cookies].join('; ') };
    const request = { host: this.#host, headers: { ...cookie, ...headers }, ...(body === undefined ? {} : { body }) };
    const { status, headers: answered, body: text } = await this.#web.request(method, path, request);
    const isJson = String(answered['Content-Type']).startsWith('application/json');
    return { status, headers: answered, value: isJson ? JSON.parse(text) : text };
  }
}
