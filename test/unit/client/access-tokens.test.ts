import { beforeEach, describe, expect, test } from '@jest/globals';
import type { RelaygateClient } from '@relaygate/client';
import { OK, refused, ScriptedApi } from '../../support/client/scripted-api';

let api: ScriptedApi;
let client: RelaygateClient;
beforeEach(() => {
  api = new ScriptedApi();
  client = api.client();
});

const toggle = () => client.product('gate').output(0).toggle();
const EXPIRED = refused(401, 'bad-token');
/** Access tokens that the server takes from now on. */
const takes = (...good: string[]) => {
  api.reply = ({ headers }) => (good.includes(headers.Authorization?.slice('Bearer '.length) ?? '') ? OK : EXPIRED);
};
const refreshTokens = () => api.calls.filter(({ path }) => path === 'auth/refresh').map(({ body }) => body);

describe('with a client key', () => {
  test('it logs in at the first call, once for all', async () => {
    expect(api.calls).toEqual([]);
    await api.end(Promise.all(Array.from({ length: 50 }, () => toggle())));
    await api.end(toggle());
    expect(api.calls[0]).toMatchObject({ method: 'POST', path: 'auth/login', body: { clientKey: 'rgc_k_s' } });
    expect(api.logins).toEqual(['login']);
    expect(api.requests).toHaveLength(51);
  });

  test('an expired token is renewed once for all calls, and each is asked again with the new one', async () => {
    await api.end(toggle());
    takes('a2');
    await api.end(Promise.all(Array.from({ length: 50 }, () => toggle())));
    expect(api.logins).toEqual(['login', 'refresh']);
    expect(refreshTokens()).toEqual([{ refreshToken: 'r1' }]);
    expect(api.requests).toHaveLength(1 + 2 * 50);
  });

  test('each refresh token is used for one renewal', async () => {
    await api.end(toggle());
    for (const good of ['a2', 'a3']) {
      takes(good);
      await api.end(toggle());
    }
    expect(refreshTokens()).toEqual([{ refreshToken: 'r1' }, { refreshToken: 'r2' }]);
  });

  test('a lost answer to a refresh is asked for again with the same token', async () => {
    await api.end(toggle());
    takes('a2');
    const pair = api.tokens;
    api.tokens = (call) => (refreshTokens().length === 0 ? 'lost' : pair(call));
    expect(await api.end(toggle())).toMatchObject({ outcome: 'done' });
    expect(refreshTokens()).toEqual([{ refreshToken: 'r1' }, { refreshToken: 'r1' }]);
  });

  test('but not when the server would take it for stolen: 20 s later it logs in', async () => {
    await api.end(toggle());
    takes('a2');
    const pair = api.tokens;
    api.tokens = () => 'lost';
    expect(await api.error(toggle())).toMatchObject({ code: 'network', mayHaveMoved: false });
    const tries = refreshTokens().length;
    api.tokens = pair;
    expect(await api.end(toggle())).toMatchObject({ outcome: 'done' });
    expect(refreshTokens()).toHaveLength(tries);
    expect(api.logins.at(-1)).toBe('login');
  });

  test('a refused refresh: it logs in again', async () => {
    await api.end(toggle());
    takes('a2');
    const pair = api.tokens;
    api.tokens = (call) => (call.path === 'auth/refresh' ? EXPIRED : pair(call));
    expect(await api.end(toggle())).toMatchObject({ outcome: 'done' });
    expect(api.logins).toEqual(['login', 'refresh', 'login']);
  });

  test('a key that is not known ends the call', async () => {
    api.tokens = () => refused(401, 'client-key-not-found');
    expect(await api.error(toggle())).toMatchObject({ code: 'client-key-not-found', status: 401, mayHaveMoved: false });
    expect(api.logins).toEqual(['login']);
  });

  test('a new token that is refused as well ends the call', async () => {
    api.reply = () => EXPIRED;
    expect(await api.error(toggle())).toMatchObject({ code: 'bad-token', mayHaveMoved: false });
    expect(api.requests).toHaveLength(2);
  });

  test('a login that something else answers ends the call', async () => {
    api.tokens = () => OK;
    expect(await api.error(toggle())).toMatchObject({ code: 'unexpected-answer', mayHaveMoved: false });
  });

  test('a login that the network loses is tried again, by one of the calls', async () => {
    const pair = api.tokens;
    api.tokens = (call) => (api.logins.length < 3 ? 'lost' : pair(call));
    await api.end(Promise.all(Array.from({ length: 20 }, () => toggle())));
    expect(api.requests).toHaveLength(20);
    expect(api.logins.length).toBeLessThanOrEqual(4);
  });
});

describe('with getAccessToken', () => {
  test('it is asked before each request, and once for all calls at the same time', async () => {
    const asked: (string | undefined)[] = [];
    const getAccessToken = async (rejected: string | undefined) => {
      asked.push(rejected);
      return rejected === undefined ? 'old' : 'new';
    };
    client = api.client({ getAccessToken });
    takes('new');
    await api.end(Promise.all(Array.from({ length: 50 }, () => toggle())));
    expect(asked).toEqual([undefined, 'old']);
    await api.end(toggle());
    expect(asked).toHaveLength(4);
    expect(api.logins).toEqual([]);
  });

  test('what it throws reaches the caller as it is, and the next call asks again', async () => {
    const gone = new Error('logged out');
    let session: string | undefined;
    client = api.client({
      getAccessToken: () => {
        if (session === undefined) throw gone;
        return session;
      },
    });
    await expect(toggle()).rejects.toBe(gone);
    session = 'back';
    expect(await api.end(toggle())).toMatchObject({ outcome: 'done' });
  });

  test.each([undefined, '', 'a b', 'a\nb'])('a token %j is refused', async (token) => {
    client = api.client({ getAccessToken: () => token as string });
    await expect(toggle()).rejects.toThrow('getAccessToken gave no access token');
    expect(api.calls).toEqual([]);
  });

  test('one that never answers ends with the time of the call, and the next call asks again', async () => {
    const never = new Promise<string>(() => {});
    let answer: string | Promise<string> = never;
    client = api.client({ getAccessToken: () => answer });
    expect(await api.error(toggle())).toMatchObject({ code: 'timed-out', mayHaveMoved: false });
    answer = 'back';
    expect(await api.end(toggle())).toMatchObject({ outcome: 'done' });
  });
});
