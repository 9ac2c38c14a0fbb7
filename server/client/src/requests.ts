import { type AccessTokens, givenTokens, KeyTokens } from './access-tokens';
import { type Answer, ask, membersOf } from './answer';
import type { ErrorCode } from './api-types';
import { Call } from './call';
import type { CallOptions, CheckedOptions } from './options';
import { codeOf, RelaygateError } from './relaygate-error';

export interface ApiRequest {
  method: string;
  /** Behind `/api`. */
  path: string;
  body?: object | undefined;
  /** Of a set or toggle. */
  key?: string | undefined;
  /** A later try that fails so shows that an earlier one has done it. */
  doneCode?: ErrorCode;
}

const DONE: Answer = { status: 204, headers: new Headers(), text: '' };

/** Requests with an access token, which are tried again where they may. */
export class Requests {
  readonly #options: CheckedOptions;
  readonly #tokens: AccessTokens;

  constructor(options: CheckedOptions) {
    this.#options = options;
    const { clientKey, getAccessToken, clock } = options;
    const post = (path: string, body: object): Promise<Answer> => {
      const call = new Call(options, { retryForMs: 0 });
      return call.exchange((gone) => this.#ask({ method: 'POST', path, body }, undefined, gone));
    };
    if (clientKey !== undefined) this.#tokens = new KeyTokens({ clientKey, clock, post }).get;
    else this.#tokens = givenTokens(getAccessToken ?? (() => ''), clock);
  }

  /** Fails with a RelaygateError unless the answer is a success. */
  async send(request: ApiRequest, options?: CallOptions): Promise<Answer> {
    const call = new Call(this.#options, options, request.key !== undefined);
    const once = (token: string) => call.exchange((gone) => this.#ask(request, token, gone));
    const withToken = async (): Promise<Answer> => {
      const token = await call.waitFor(() => this.#tokens(undefined));
      try {
        return await once(token);
      } catch (error) {
        if (codeOf(error) !== 'bad-token') throw error;
        return once(await call.waitFor(() => this.#tokens(token)));
      }
    };
    let tries = 0;
    return call.retry(async () => {
      tries += 1;
      try {
        return await withToken();
      } catch (error) {
        const code = codeOf(error);
        if (code !== undefined && code === request.doneCode && tries > 1) return DONE;
        throw error;
      }
    });
  }

  async read<T extends object>(path: string, options?: CallOptions): Promise<T> {
    const answer = await this.send({ method: 'GET', path }, options);
    const body = membersOf(answer);
    if (Object.keys(body).length === 0) throw new RelaygateError('unexpected-answer', { status: answer.status });
    return body as T;
  }

  #ask({ method, path, body, key }: ApiRequest, token: string | undefined, signal: AbortSignal): Promise<Answer> {
    const { baseUrl, fetch } = this.#options;
    const headers = {
      Accept: 'application/json',
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
    };
    return ask(fetch, baseUrl + path, {
      method,
      headers,
      signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }
}

/** The path with those options that are members of the query. */
export function withQuery(path: string, { signal: _, retryForMs: __, ...query }: CallOptions): string {
  const members = Object.entries(query).filter(([, value]) => value !== undefined);
  return members.length === 0
    ? path
    : `${path}?${new URLSearchParams(members.map(([name, value]) => [name, String(value)]))}`;
}
