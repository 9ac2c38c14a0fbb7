import { type Answer, membersOf } from './answer';
import { TRY_MS } from './call';
import type { GetAccessToken } from './options';
import type { Clock } from './platform';
import { codeOf, RelaygateError } from './relaygate-error';

/** Below the 30 s in which the server gives the same answer to the same refresh token; later it would take it for stolen. */
const REPEAT_MS = 20_000;
const TOKEN = /^[!-~]+$/;

/** Gives the access token of the next request, another one than `rejected`, which the server has just refused. */
export type AccessTokens = (rejected: string | undefined) => Promise<string>;

/** Those of the application. It is asked once for all calls that ask at the same time; again if it takes too long. */
export function givenTokens(getAccessToken: GetAccessToken, clock: Clock): AccessTokens {
  const asked = new Map<string | undefined, Promise<string>>();
  const ask = async (rejected: string | undefined): Promise<string> => {
    const token = await getAccessToken(rejected);
    if (typeof token === 'string' && TOKEN.test(token)) return token;
    throw new TypeError('getAccessToken gave no access token');
  };
  const askForAll = (rejected: string | undefined): Promise<string> => {
    const answer = ask(rejected).finally(() => {
      cancel();
      forget();
    });
    const forget = (): void => {
      if (asked.get(rejected) === answer) asked.delete(rejected);
    };
    const cancel = clock.after(TRY_MS, forget);
    asked.set(rejected, answer);
    return answer;
  };
  return (rejected) => asked.get(rejected) ?? askForAll(rejected);
}

export interface LoginDeps {
  clientKey: string;
  clock: Clock;
  /** One try. */
  post(path: string, body: object): Promise<Answer>;
}

/** Those of a client key: logs in, and renews them by one request for all calls. */
export class KeyTokens {
  readonly #deps: LoginDeps;
  #accessToken: string | undefined;
  #refreshToken: string | undefined;
  /** When the refresh token was used first. */
  #usedAtMs: number | undefined;
  #renewal: Promise<string> | undefined;

  constructor(deps: LoginDeps) {
    this.#deps = deps;
  }

  readonly get: AccessTokens = async (rejected) => {
    if (this.#accessToken !== undefined && this.#accessToken !== rejected) return this.#accessToken;
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  };

  async #renew(): Promise<string> {
    const { clientKey, post } = this.#deps;
    const answer = (await this.#refresh()) ?? (await post('/v1/auth/login', { clientKey }));
    const { accessToken, refreshToken } = membersOf(answer);
    if (typeof accessToken !== 'string' || typeof refreshToken !== 'string')
      throw new RelaygateError('unexpected-answer', { status: answer.status });
    this.#usedAtMs = undefined;
    this.#refreshToken = refreshToken;
    this.#accessToken = accessToken;
    return accessToken;
  }

  /** Undefined: there is nothing to refresh with (any more). */
  async #refresh(): Promise<Answer | undefined> {
    const { clock, post } = this.#deps;
    const refreshToken = this.#refreshToken;
    if (refreshToken === undefined) return undefined;
    this.#usedAtMs ??= clock.nowMs();
    try {
      if (clock.nowMs() - this.#usedAtMs < REPEAT_MS) return await post('/v1/auth/refresh', { refreshToken });
    } catch (error) {
      if (codeOf(error) !== 'bad-token') throw error;
    }
    this.#refreshToken = undefined;
    return undefined;
  }
}
