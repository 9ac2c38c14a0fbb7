import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, call, GENERATIONS } from '../support/server/api-client';
import { expectError } from '../support/server/expect-error';
import { startTestServer, type TestServer } from '../support/server/test-server';

/** The row of design section 5 on logins and claims that fail: 20 a minute, then 429. */
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

describe('failed logins and claims', () => {
  /** From the n-th of many addresses, so that no address is the reason. */
  const from = (n: number) => ({ 'x-forwarded-for': `198.51.100.${n}` });
  let limited: TestServer;
  beforeAll(async () => {
    limited = await startTestServer({ trustedProxies: 'loopback' });
  });
  afterAll(() => limited.stop());

  function expectBlocked(answer: Answer): void {
    expectError(answer, 429, 'too-many-requests');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  }

  test.each(GENERATIONS.map((make) => [make.name, make] as const))(
    '20 wrong keys for one product, %s: 429 from anywhere',
    async (_name, make) => {
      const api = make(limited.url);
      const product = await limited.newProduct();
      const other = await limited.newProduct();
      const mine = await limited.newToken();
      const claim = (n: number, key: string, login = product.productLogin) =>
        api.addProduct(login, key, { token: mine, headers: from(n) });
      // Successes never count.
      for (let n = 0; n < 30; n += 1) expect((await claim(1, product.productKey)).text).toBe('OK');
      for (let n = 0; n < 20; n += 1) expectError(await claim(n, other.productKey), 404, 'product-not-found');
      expectBlocked(await claim(200, product.productKey));
      expect((await claim(200, other.productKey, other.productLogin)).text).toBe('OK');
    },
  );

  test.each(GENERATIONS.map((make) => [make.name, make] as const))(
    '20 wrong secrets of one key id, %s: 429 from anywhere',
    async (name) => {
      const path = name === 'v1' ? 'v1/auth/login' : 'login';
      const login = (n: number, clientKey: string) =>
        call('POST', `${limited.url}/api/${path}`, { clientKey }, { headers: from(n) });
      const [{ clientKey }, other] = [await limited.newClient(), await limited.newClient()];
      const wrong = clientKey.slice(0, -4) + (clientKey.endsWith('0000') ? '1111' : '0000');
      // All at once: exactly 20 are told that the key is wrong.
      const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => login(n, wrong)));
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(20);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
      expectBlocked(await login(201, clientKey));
      expect((await login(201, other.clientKey)).status).toBe(200);
    },
  );

  test.each([
    ['an address', '203.0.113.9', '203.0.113.9', '203.0.113.10'],
    ['an IPv6 network', '2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '2001:db8:1:3::1'],
  ])('20 failures from %s: 429 for its logins and claims, not for others', async (_what, address, same, other) => {
    const { clientKey } = await limited.newClient();
    const login = (key: string, source: string) =>
      call('POST', `${limited.url}/api/v1/auth/login`, { clientKey: key }, { headers: { 'x-forwarded-for': source } });
    for (let n = 0; n < 20; n += 1) expectError(await login(`nonsense ${n}`, address), 401, 'client-key-not-found');
    expectBlocked(await login(clientKey, same));
    expect((await login(clientKey, other)).status).toBe(200);
  });

  test('X-Forwarded-For is believed from trusted proxies only', async () => {
    const { clientKey } = await server.newClient();
    const login = (key: string, n: number) =>
      call('POST', `${server.url}/api/login`, { clientKey: key }, { headers: from(n) });
    const statuses: number[] = [];
    for (let n = 0; n < 25; n += 1) statuses.push((await login('nonsense', n)).status);
    expect(statuses.at(-1)).toBe(429);
    expect((await login(clientKey, 77)).status).toBe(429);
  });
});
