import { type ClientOptions, RelaygateClient, RelaygateError } from '@relaygate/client';
import { VirtualClock } from '../time/virtual-clock';

export interface ApiCall {
  method: string;
  /** Behind `/api/v1/`. */
  path: string;
  headers: Record<string, string>;
  body: unknown;
  atMs: number;
}

/** `lost`: the connection breaks. `silent`: nothing comes until the client gives it up. An Error is what `fetch` fails with. */
export type Reply = { status: number; text: string; headers?: Record<string, string> } | 'lost' | 'silent' | Error;

export const OK: Reply = { status: 200, text: 'OK', headers: { 'command-id': 'c1' } };
export const REPLAYED: Reply = { ...OK, headers: { 'command-id': 'c1', 'idempotent-replayed': 'true' } };
export const json = (status: number, body: object, headers: Record<string, string> = {}): Reply => ({
  status,
  text: JSON.stringify(body),
  headers,
});
export const refused = (status: number, error: string, headers?: Record<string, string>): Reply =>
  json(status, { error }, headers);

/** A server that says what the test wants, under a virtual clock, at the port where the client has `fetch`. */
export class ScriptedApi {
  readonly clock = new VirtualClock();
  readonly startMs = this.clock.nowMs();
  readonly calls: ApiCall[] = [];
  /** To logins and refreshes: the next pair. */
  tokens: (call: ApiCall) => Reply = () => {
    this.pairs += 1;
    return json(200, { accessToken: `a${this.pairs}`, refreshToken: `r${this.pairs}` });
  };
  pairs = 0;
  /** To everything else. `nth` counts from 0. */
  reply: (call: ApiCall, nth: number) => Reply = () => OK;

  client(options: Partial<ClientOptions> = {}): RelaygateClient {
    const credential = options.getAccessToken ? {} : { clientKey: 'rgc_k_s' };
    const { clock, fetch } = this;
    return new RelaygateClient({ baseUrl: 'https://gate.example/api', ...credential, clock, fetch, ...options });
  }

  /** Those with an access token. */
  get requests(): ApiCall[] {
    return this.calls.filter(({ path }) => !path.startsWith('auth/'));
  }

  get logins(): string[] {
    return this.calls.filter(({ path }) => path.startsWith('auth/')).map(({ path }) => path.slice('auth/'.length));
  }

  /** When each request was sent, after the beginning. */
  get timesMs(): number[] {
    return this.requests.map(({ atMs }) => atMs - this.startMs);
  }

  /** The result of a call, or its error, when the clock has gone on for as long as any call takes. */
  async end<T>(call: Promise<T>): Promise<T | RelaygateError> {
    const ended = call.catch((error: unknown) => {
      if (error instanceof RelaygateError) return error;
      throw error;
    });
    ended.catch(() => {});
    await this.clock.advance(60_000);
    return ended;
  }

  /** As `end`, of a call that must fail. */
  async error(call: Promise<unknown>): Promise<RelaygateError> {
    const ended = await this.end(call);
    if (ended instanceof RelaygateError) return ended;
    throw new Error(`it succeeded: ${JSON.stringify(ended)}`);
  }

  readonly fetch: typeof fetch = async (url, { method = 'GET', headers, body, signal } = {}) => {
    const path = String(url).replace('https://gate.example/api/v1/', '');
    const sent = Object.fromEntries(Object.entries((headers ?? {}) as Record<string, string>));
    const parsed: unknown = typeof body === 'string' ? JSON.parse(body) : undefined;
    const call = { method, path, headers: sent, body: parsed, atMs: this.clock.nowMs() };
    const reply = path.startsWith('auth/') ? this.tokens(call) : this.reply(call, this.requests.length);
    this.calls.push(call);
    if (reply === 'lost') throw new TypeError('fetch failed');
    if (reply instanceof Error) throw reply;
    if (reply === 'silent')
      return new Promise((_, fail) => signal?.addEventListener('abort', () => fail(signal.reason)));
    const { status, text } = reply;
    return { status, headers: new Headers(reply.headers), text: async () => text } as Response;
  };
}
