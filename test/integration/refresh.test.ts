import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, GENERATIONS, type Generation, legacy, v1 } from '../support/server/api-client';
import { serverForAll } from '../support/server/server-for-all';

interface Pair {
  accessToken: string;
  refreshToken: string;
}

const server = serverForAll();

const pairOf = (answer: Answer): Pair => {
  expect(answer.status).toBe(200);
  return answer.json as Pair;
};
const expectBadToken = (answer: Answer) => expect(answer).toMatchObject({ status: 401, json: { error: 'bad-token' } });

describe.each(GENERATIONS.map((make) => [make.name, make] as const))('refresh, %s', (_name, make) => {
  let api: Generation;
  let clientKey: string;
  let first: Pair;
  const refresh = (token: string) => api.refresh(token, clientKey);

  beforeAll(() => {
    api = make(server.url);
  });
  const login = async () => {
    clientKey = (await server.newClient()).clientKey;
    first = pairOf(await api.login(clientKey));
  };

  test('rotates: each use gives the next token, and its access token works', async () => {
    await login();
    const second = pairOf(await refresh(first.refreshToken));
    const third = pairOf(await refresh(second.refreshToken));
    expect(new Set([first, second, third].map(({ refreshToken }) => refreshToken)).size).toBe(3);
    expect((await v1(server.url).state('nobody', { token: third.accessToken })).status).toBe(404);
  });

  test('a lost answer: the direct parent gives the same successor again while that is unused', async () => {
    await login();
    const lost = pairOf(await refresh(first.refreshToken));
    const again = pairOf(await refresh(first.refreshToken));
    expect(again.refreshToken).toBe(lost.refreshToken);
    pairOf(await refresh(again.refreshToken));
  });

  test('reuse of an older token revokes the family, the live token included', async () => {
    await login();
    const second = pairOf(await refresh(first.refreshToken));
    const third = pairOf(await refresh(second.refreshToken));
    expectBadToken(await refresh(first.refreshToken));
    expectBadToken(await refresh(third.refreshToken));
    pairOf(await api.login(clientKey));
  });

  test('the direct parent after the grace of 30 s revokes the family', async () => {
    await login();
    const second = pairOf(await refresh(first.refreshToken));
    server.jumpWallClock(31_000);
    expectBadToken(await refresh(first.refreshToken));
    expectBadToken(await refresh(second.refreshToken));
  });

  test('50 at once give one token', async () => {
    await login();
    const pairs = (await Promise.all(Array.from({ length: 50 }, () => refresh(first.refreshToken)))).map(pairOf);
    expect(new Set(pairs.map(({ refreshToken }) => refreshToken)).size).toBe(1);
    pairOf(await refresh(pairs[0]?.refreshToken ?? ''));
  });

  test('a token that was never given is refused and revokes nothing', async () => {
    await login();
    const forged = `${first.refreshToken.slice(0, -3)}AAA`;
    expectBadToken(await refresh(forged));
    expectBadToken(await refresh('nonsense'));
    expectBadToken(await refresh(first.accessToken));
    pairOf(await refresh(first.refreshToken));
  });

  test.each([undefined, null, 7, {}])('refreshToken %j: 422', async (refreshToken) => {
    expect(await api.refresh(refreshToken, 'key')).toMatchObject({ status: 422, json: { error: 'invalid-params' } });
  });

  test('a token of the other generation is taken', async () => {
    const other = make === legacy ? v1 : legacy;
    const { clientKey: key } = await server.newClient();
    const pair = pairOf(await other(server.url).login(key));
    pairOf(await api.refresh(pair.refreshToken, key));
  });
});

describe('refresh, legacy only', () => {
  test('another client’s key, or a wrong one, is refused and uses nothing up', async () => {
    const [mine, theirs] = [await server.newClient(), await server.newClient()];
    const api = legacy(server.url);
    const pair = pairOf(await api.login(mine.clientKey));
    expectBadToken(await api.refresh(pair.refreshToken, theirs.clientKey));
    expectBadToken(await api.refresh(pair.refreshToken, 'nonsense'));
    pairOf(await api.refresh(pair.refreshToken, mine.clientKey));
  });
});

test('an access token lives for ten minutes', async () => {
  const { clientKey } = await server.newClient();
  const { accessToken } = pairOf(await v1(server.url).login(clientKey));
  server.jumpWallClock(599_000);
  expect((await v1(server.url).state('nobody', { token: accessToken })).status).toBe(404);
  server.jumpWallClock(2_000);
  expectBadToken(await v1(server.url).state('nobody', { token: accessToken }));
});

describe("a client key's end (I13)", () => {
  const states = async ({ accessToken }: Pair) => (await v1(server.url).state('nobody', { token: accessToken })).status;
  const rotate = async (clientId: string, oldKeyForMs: number) => {
    const atMs = server.wallMs();
    await server.storage.rotateClientKey(clientId, {
      keyId: `new-${clientId}`,
      keyHash: 'aa',
      oldKeyUntilMs: atMs + oldKeyForMs,
      atMs,
    });
  };

  test('a key that is dead at once takes its tokens with it on the next request', async () => {
    const { clientId, clientKey } = await server.newClient();
    const session = pairOf(await v1(server.url).login(clientKey));
    expect(await states(session)).toBe(404);
    await rotate(clientId, 0);
    expect(await states(session)).toBe(401);
    expectBadToken(await v1(server.url).refresh(session.refreshToken));
  });

  test('what was begun with a key that is kept for a while ends with it', async () => {
    const { clientId, clientKey } = await server.newClient();
    const begun = pairOf(await v1(server.url).login(clientKey));
    await rotate(clientId, 60_000);
    const renewed = pairOf(await v1(server.url).refresh(begun.refreshToken));
    expect(await states(renewed)).toBe(404);
    server.jumpWallClock(61_000);
    expect(await states(renewed)).toBe(401);
    expectBadToken(await v1(server.url).refresh(renewed.refreshToken));
    server.jumpWallClock(-61_000);
  });
});
