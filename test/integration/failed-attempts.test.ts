import { describe, expect, test } from '@jest/globals';
import { type Answer, call, GENERATIONS } from '../support/server/api-client';
import { expectError } from '../support/server/expect-error';
import { serverForAll } from '../support/server/server-for-all';
import { startTestServer } from '../support/server/test-server';
import { VirtualClock } from '../support/time/virtual-clock';

/**
 * The row of design section 5 on logins, refreshes and claims that fail: 20 a minute, then wrong ones get 429, and a
 * right one is always served. The minute does not pass here, however slow the machine is.
 */
const LIMIT = 20;

function expectBlocked(answer: Answer): void {
  expectError(answer, 429, 'too-many-requests');
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
}

/** From the n-th of many addresses, so that no address is the reason. */
const from = (n: number) => `198.51.100.${n}`;
const wrongOf = (clientKey: string) => clientKey.slice(0, -4) + (clientKey.endsWith('0000') ? '1111' : '0000');

describe.each(GENERATIONS.map((make) => [make.name, make] as const))('failed attempts, %s', (name, make) => {
  const limited = serverForAll({ clock: new VirtualClock(), trustedProxies: 'loopback' });

  const headersOf = (address: string) => ({ headers: { 'x-forwarded-for': address } });
  const login = (clientKey: string, address: string) =>
    call('POST', `${limited.url}/api/${name === 'v1' ? 'v1/auth/login' : 'login'}`, { clientKey }, headersOf(address));
  const refresh = (refreshToken: string, clientKey: string, address: string) =>
    name === 'v1'
      ? call('POST', `${limited.url}/api/v1/auth/refresh`, { refreshToken }, headersOf(address))
      : call('POST', `${limited.url}/api/refreshToken`, { refreshToken, clientKey }, headersOf(address));
  /** The refresh token of a new login. */
  const begin = async (clientKey: string, address: string) => {
    const { status, json } = await login(clientKey, address);
    expect(status).toBe(200);
    return (json as { refreshToken: string }).refreshToken;
  };

  test('wrong keys for one product: 429 from anywhere, and its right key is served', async () => {
    const product = await limited.newProduct();
    const other = await limited.newProduct();
    const token = await limited.newToken();
    const claim = (n: number, key: string, productLogin = product.productLogin) =>
      make(limited.url).addProduct(productLogin, key, { token, ...headersOf(from(n)) });
    // Successes never count.
    for (let n = 0; n < 30; n += 1) expect((await claim(1, product.productKey)).text).toBe('OK');
    for (let n = 0; n < LIMIT; n += 1) expectError(await claim(n, other.productKey), 404, 'product-not-found');
    expectBlocked(await claim(200, other.productKey));
    expect((await claim(201, product.productKey)).text).toBe('OK');
    expect((await claim(200, other.productKey, other.productLogin)).text).toBe('OK');
  });

  test('wrong secrets of one key id: 429 from anywhere, and the right key is served', async () => {
    const { clientKey } = await limited.newClient();
    // All at once: exactly 20 are answered that the key is wrong.
    const wrong = Array.from({ length: 40 }, (_, n) => login(wrongOf(clientKey), from(n)));
    const right = Array.from({ length: 5 }, (_, n) => login(clientKey, from(n)));
    const statuses = (await Promise.all(wrong)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(LIMIT);
    expect(statuses.filter((status) => status === 429)).toHaveLength(40 - LIMIT);
    for (const answer of await Promise.all(right)) expect(answer.status).toBe(200);
    expectBlocked(await login(wrongOf(clientKey), from(201)));
    await begin(clientKey, from(201));
  });

  test.each([
    ['an address', '203.0.113.9', '203.0.113.9', '203.0.113.10'],
    ['an IPv6 network', '2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '2001:db8:1:3::1'],
    ['an address with a port', '203.0.113.19:5000', '203.0.113.19:5001', '203.0.113.20:5000'],
  ])('20 from %s: 429 for all its wrong ones, and its right ones are served', async (_what, address, same, other) => {
    const { clientKey } = await limited.newClient();
    const product = await limited.newProduct();
    const token = await limited.newToken();
    const claim = (key: string, source: string) =>
      make(limited.url).addProduct(product.productLogin, key, { token, ...headersOf(source) });
    const begun = await begin(clientKey, from(9));
    for (let n = 0; n < LIMIT; n += 1) expectError(await login(`nonsense ${n}`, address), 401, 'client-key-not-found');
    expectBlocked(await login('nonsense', same));
    expectBlocked(await refresh('nonsense', clientKey, same));
    expectBlocked(await claim('nonsense', same));
    expectError(await login('nonsense', other), 401, 'client-key-not-found');
    expectError(await refresh('nonsense', clientKey, other), 401, 'bad-token');
    await begin(clientKey, same);
    expect((await refresh(begun, clientKey, same)).status).toBe(200);
    expect((await claim(product.productKey, same)).text).toBe('OK');
  });

  test('forged refresh tokens count on their address only', async () => {
    const { clientKey } = await limited.newClient();
    const token = await begin(clientKey, from(20));
    const forged = `${token.slice(0, -3)}${token.endsWith('AAA') ? 'BBB' : 'AAA'}`;
    for (let n = 0; n < LIMIT; n += 1) expectError(await refresh(forged, clientKey, '203.0.113.40'), 401, 'bad-token');
    expectBlocked(await refresh(forged, clientKey, '203.0.113.40'));
    expectError(await refresh(forged, clientKey, from(21)), 401, 'bad-token');
    expect((await refresh(token, clientKey, '203.0.113.40')).status).toBe(200);
  });

  test('a refresh token that is over counts on its family: its owner gets 401 and can log in, whatever its neighbours did', async () => {
    const { clientKey, clientId } = await limited.newClient();
    const token = await begin(clientKey, from(30));
    for (let n = 0; n < LIMIT + 5; n += 1) await login('nonsense', '203.0.113.50');
    await limited.storage.setClientActive(clientId, false, Date.now());
    for (let n = 0; n < LIMIT; n += 1) expectError(await refresh(token, clientKey, '203.0.113.50'), 401, 'bad-token');
    expectBlocked(await refresh(token, clientKey, '203.0.113.51'));
    await limited.storage.setClientActive(clientId, true, Date.now());
    expect((await refresh(token, clientKey, '203.0.113.50')).status).toBe(200);
  });
});

test('a wrong client key with a right refresh token counts too, and the right one is served', async () => {
  const server = await startTestServer({ clock: new VirtualClock() });
  try {
    const [legacy] = GENERATIONS;
    const api = legacy(server.url);
    const { clientKey } = await server.newClient();
    const { refreshToken } = (await api.login(clientKey)).json as { refreshToken: string };
    for (let n = 0; n < LIMIT; n += 1)
      expectError(await api.refresh(refreshToken, wrongOf(clientKey)), 401, 'bad-token');
    expectBlocked(await api.refresh(refreshToken, wrongOf(clientKey)));
    expect((await api.refresh(refreshToken, clientKey)).status).toBe(200);
  } finally {
    await server.stop();
  }
});

test('X-Forwarded-For is believed from trusted proxies only', async () => {
  const server = await startTestServer({ clock: new VirtualClock() });
  try {
    const login = (n: number) =>
      call('POST', `${server.url}/api/login`, { clientKey: 'nonsense' }, { headers: { 'x-forwarded-for': from(n) } });
    for (let n = 0; n < LIMIT; n += 1) expectError(await login(n), 401, 'client-key-not-found');
    expectBlocked(await login(77));
  } finally {
    await server.stop();
  }
});
