import { type Clock, EXECUTION_DEADLINE_MS } from '@relaygate/shared';
import type { WebInMemory } from './web-in-memory';

interface Said {
  status: number;
  headers: Readonly<Record<string, string>>;
  value: unknown;
}

/** A technician's browser at the page in memory: keeps its cookie and its token. */
export class PageClient {
  readonly #web: WebInMemory;
  readonly #clock: Pick<Clock, 'nowMs'>;
  cookie: string | null = null;
  csrfToken = '';

  /** `clock`: the device's, as its status tells it. */
  constructor(web: WebInMemory, clock: Pick<Clock, 'nowMs'>) {
    this.#web = web;
    this.#clock = clock;
  }

  async logIn(pin: string, name?: string): Promise<Said> {
    const said = await this.send('POST', '/api/session', { body: { pin, ...(name === undefined ? {} : { name }) } });
    const cookie = said.headers['Set-Cookie']?.split(';')[0];
    if (cookie !== undefined) this.cookie = cookie;
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
    const cookie: Record<string, string> = this.cookie === null ? {} : { cookie: `other=1; ${this.cookie}` };
    const request = { headers: { ...cookie, ...headers }, ...(body === undefined ? {} : { body }) };
    const { status, headers: answered, body: text } = await this.#web.request(method, path, request);
    const isJson = answered['Content-Type']?.startsWith('application/json') ?? false;
    return { status, headers: answered, value: isJson ? JSON.parse(text) : text };
  }
}
