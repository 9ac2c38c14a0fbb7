import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, call, GENERATIONS, type Generation, legacy, v1 } from '../support/server/api-client';
import type { ScriptedDevice } from '../support/server/scripted-device';
import { startTestServer, type TestProduct, type TestServer } from '../support/server/test-server';

/** The rows of design section 5: what the contract leaves open, and how it is decided. */
let server: TestServer;
let token: string;
let gate: TestProduct;
let device: ScriptedDevice;

beforeAll(async () => {
  server = await startTestServer();
  gate = await server.newProduct();
  token = await server.newToken();
  await server.associate(token, gate);
  device = await server.linkDevice(gate);
});
afterAll(() => server.stop());

function expectError(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, body: answer.json }).toEqual({ status, body: { error: code } });
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
}

describe.each(GENERATIONS.map((make) => [make.name, make] as const))('%s', (_name, make) => {
  let api: Generation;
  beforeAll(() => {
    api = make(server.url);
  });

  describe('check order', () => {
    const bodies = { legacy: '/api/setOutputProduct', v1: '/api/v1/products/gate/outputs/0' };
    const method = { legacy: 'POST', v1: 'PATCH' };

    test('401 bad-token comes before the body is read', async () => {
      const huge = 'x'.repeat(100_000);
      expectError(
        await call(method[make.name as 'v1'], server.url + bodies[make.name as 'v1'], huge),
        401,
        'bad-token',
      );
    });

    test('422 shape comes before 404 product-not-found', async () => {
      expectError(await api.set('nobody', 0, 7, { token }), 422, 'invalid-params');
    });

    test('404 product-not-found comes before 422 numOutput beyond the product', async () => {
      expectError(await api.set('nobody', 99, 1, { token }), 404, 'product-not-found');
    });

    test('403 not associated comes before 422 numOutput beyond the outputs', async () => {
      expectError(await api.set(gate.productLogin, 99, 1, { token: await server.newToken() }), 403, 'user-not-allowed');
    });

    test('403 application not activated comes before 422 numOutput beyond the outputs', async () => {
      const sleeping = await server.newProduct({ activated: false });
      await server.associate(token, sleeping);
      expectError(await api.set(sleeping.productLogin, 99, 1, { token }), 403, 'user-not-allowed');
    });

    test('422 numOutput beyond the outputs comes before the device', async () => {
      expectError(await api.set(gate.productLogin, 4, 1, { token }), 422, 'invalid-params');
    });

    test('403 output not activated, the others of the product work on', async () => {
      await server.storage.setOutputActivated(gate.productLogin, 1, false, Date.now());
      expectError(await api.toggle(gate.productLogin, 1, { token }), 403, 'user-not-allowed');
      expect((await api.toggle(gate.productLogin, 0, { token })).status).toBe(200);
      await server.storage.setOutputActivated(gate.productLogin, 1, true, Date.now());
    });
  });

  describe('activation', () => {
    test('a deactivated client: login 401 client-key-not-found, its tokens 401 bad-token, no refresh', async () => {
      const { clientKey, clientId } = await server.newClient();
      const { accessToken, refreshToken } = (await api.login(clientKey)).json as Record<string, string>;
      await server.storage.setClientActive(clientId, false, Date.now());
      expectError(await api.login(clientKey), 401, 'client-key-not-found');
      expectError(await api.state(gate.productLogin, { token: accessToken ?? '' }), 401, 'bad-token');
      expectError(await api.refresh(refreshToken, clientKey), 401, 'bad-token');
    });

    test('getProductStates needs no activation', async () => {
      const sleeping = await server.newProduct({ activated: false });
      await server.associate(token, sleeping);
      const answer = await api.state(sleeping.productLogin, { token });
      expect(answer).toMatchObject({ status: 200, json: { connected: false, lastSeenAt: null } });
    });
  });

  describe('login', () => {
    test.each([`rgc_${'0'.repeat(16)}_${'0'.repeat(52)}`, 'nonsense', ''])(
      'unknown key %j: 401 client-key-not-found',
      async (clientKey) => {
        const answer = await api.login(clientKey);
        expectError(answer, 401, 'client-key-not-found');
        expect(answer.headers.get('www-authenticate')).toBeNull();
      },
    );

    test.each([undefined, null, 7, {}, ['a']])('clientKey %j: 422 invalid-params', async (clientKey) => {
      expectError(await api.login(clientKey), 422, 'invalid-params');
    });
  });

  describe('addProduct', () => {
    test('a wrong login and a wrong key are the same 404', async () => {
      const wrongKey = await api.addProduct(gate.productLogin, 'WRONG-KEY', { token });
      const wrongLogin = await api.addProduct('nobody', gate.productKey, { token });
      expectError(wrongKey, 404, 'product-not-found');
      expect(wrongLogin.text).toBe(wrongKey.text);
    });

    test('the key is taken in lower case and without hyphens', async () => {
      const key = gate.productKey.toLowerCase().replaceAll('-', '');
      expect((await api.addProduct(gate.productLogin, key, { token })).text).toBe('OK');
    });
  });

  describe('deleteProduct', () => {
    test('unknown product 404, not associated 403', async () => {
      const newcomer = await server.newToken();
      expectError(await api.deleteProduct('nobody', { token }), 404, 'product-not-found');
      expectError(await api.deleteProduct(gate.productLogin, { token: newcomer }), 403, 'user-not-allowed');
    });
  });

  describe('getProductStates', () => {
    test('says what the device reported, when it was received, and what is set on the server', async () => {
      device.states.splice(0, 4, 1, 0, 0, 0);
      device.report();
      await device.roundTrip();
      const product = await server.untilState(gate, token, ({ outputs }) => outputs[0]?.state === 1);
      expect(product).toMatchObject({ productLogin: gate.productLogin, connected: true });
      expect(Date.now() - Date.parse(product.lastSeenAt ?? '')).toBeLessThan(60_000);
      expect(product.outputs).toHaveLength(4);
      expect(product.outputs[0]).toMatchObject({
        numOutput: 0,
        name: 'Output 0',
        mode: 'on-off',
        state: 1,
        activated: true,
        pulseMs: 500,
      });
      expect(product.outputs[2]).toMatchObject({ mode: 'impulse', state: 0, pulseMs: 500 });
      expect(new Date(product.outputs[0]?.observedAt ?? '').toISOString()).toBe(product.outputs[0]?.observedAt);
      const { json } = await api.state(gate.productLogin, { token });
      expect(json).toMatchObject({ outputs: product.outputs.map(({ numOutput, state }) => ({ numOutput, state })) });
    });

    test('what was never reported is null', async () => {
      const silent = await server.newProduct();
      await server.associate(token, silent);
      const { json } = await api.state(silent.productLogin, { token });
      const unknown = { name: null, mode: null, state: null, observedAt: null, pulseMs: null };
      expect(json).toMatchObject({
        connected: false,
        lastSeenAt: null,
        outputs: [{ numOutput: 0, ...unknown }, {}, {}, {}],
      });
    });

    test('unknown product 404, not associated 403', async () => {
      expectError(await api.state('nobody', { token }), 404, 'product-not-found');
      expectError(await api.state(gate.productLogin, { token: await server.newToken() }), 403, 'user-not-allowed');
    });
  });

  describe('not linked', () => {
    test('never linked, or lost for longer than 5 s: 504 at once, with a command id whose outcome says so', async () => {
      const away = await server.newProduct();
      await server.associate(token, away);
      await server.untilOfflineCounts();
      const startMs = performance.now();
      const answer = await api.set(away.productLogin, 0, 1, { token });
      expectError(answer, 504, 'device-timeout');
      expect(performance.now() - startMs).toBeLessThan(2_000);
      const commandId = answer.headers.get('command-id') ?? '';
      const status = await call('GET', `${server.url}/api/v1/commands/${commandId}`, undefined, { token });
      expect(status).toMatchObject({
        status: 200,
        json: { commandId, outcome: 'expired', reason: 'not-linked', state: 1 },
      });
    });
  });

  describe('Command-Id', () => {
    test('stands on every answer to a command that took the place, and on no other', async () => {
      device.states.splice(0, 4, 0, 0, 0, 0);
      const executed = await api.set(gate.productLogin, 0, 1, { token });
      const alreadySet = await api.set(gate.productLogin, 0, 1, { token });
      const refused = await api.set(gate.productLogin, 99, 1, { token });
      const ids = [executed, alreadySet, refused].map((answer) => answer.headers.get('command-id'));
      expect(ids).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), expect.stringMatching(/^[0-9a-f-]{36}$/), null]);
    });
  });

  describe('types', () => {
    test.each(['1', true, 1.5, null, [], {}])('state %j: 422, nothing is coerced', async (state) => {
      expectError(await api.set(gate.productLogin, 0, state, { token }), 422, 'invalid-params');
    });

    test('unknown members are ignored, and pollute nothing', async () => {
      const body = `{"state":1,"productLogin":"${gate.productLogin}","numOutput":0,"clientKey":"x","constructor":1,"__proto__":{"polluted":1}}`;
      const answer =
        make.name === 'v1'
          ? await call('PATCH', `${server.url}/api/v1/products/${gate.productLogin}/outputs/0`, body, { token })
          : await call('POST', `${server.url}/api/setOutputProduct`, body, { token });
      expect(answer.status).toBe(200);
      expect(({} as { polluted?: number }).polluted).toBeUndefined();
    });

    test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16le'])(
      'a command as %s: 422, and nothing reaches the device',
      async (type) => {
        device.commands.length = 0;
        const path = make.name === 'v1' ? `v1/products/${gate.productLogin}/outputs/0/toggle` : 'toggleOutputProduct';
        const body = JSON.stringify({ productLogin: gate.productLogin, numOutput: 0 });
        const answer = await call('POST', `${server.url}/api/${path}`, body, {
          token,
          headers: { 'content-type': type },
        });
        expectError(answer, 422, 'invalid-params');
        expect(device.commands).toEqual([]);
      },
    );
  });
});

describe('types that only one generation can send', () => {
  test.each(['00', '01', '+1', '1.0', '1e0', '-1', '1000', 'x', '%20'])('v1 path number %s: 422', async (numOutput) => {
    const answer = await call(
      'PATCH',
      `${server.url}/api/v1/products/${gate.productLogin}/outputs/${numOutput}`,
      { state: 1 },
      { token },
    );
    expectError(answer, 422, 'invalid-params');
  });

  test.each([-1, 0.5, '0', true, [0], 1000])('legacy numOutput %j: 422', async (numOutput) => {
    expectError(await legacy(server.url).set(gate.productLogin, numOutput, 1, { token }), 422, 'invalid-params');
  });

  test.each(['1e400', '-0.5', '01', '0x1'])('legacy number written as %s: 422', async (number) => {
    const body = `{"productLogin":"${gate.productLogin}","numOutput":${number},"state":1}`;
    expectError(await call('POST', `${server.url}/api/setOutputProduct`, body, { token }), 422, 'invalid-params');
  });

  test.each([7, null, true, {}, ['gate']])('legacy productLogin %j: 422', async (productLogin) => {
    expectError(
      await call('POST', `${server.url}/api/toggleOutputProduct`, { productLogin, numOutput: 0 }, { token }),
      422,
      'invalid-params',
    );
  });

  test.each(['', ' ', '..%2f', '*', '>', 'a\r\nX: y', 'é', 'a'.repeat(65), '\ud800'])(
    'legacy login %j matches no pattern: 404',
    async (login) => {
      const answer = await legacy(server.url).toggle(login, 0, { token });
      expectError(answer, 404, 'product-not-found');
      expect(answer.headers.get('x')).toBeNull();
    },
  );

  test('the last of two duplicate keys wins', async () => {
    device.states[0] = 0;
    const body = `{"productLogin":"${gate.productLogin}","numOutput":0,"state":9,"state":1}`;
    expect((await call('POST', `${server.url}/api/setOutputProduct`, body, { token })).text).toBe('OK');
    expect(device.states[0]).toBe(1);
  });

  test('v1 toggle takes no body or any JSON object, nothing else', async () => {
    const url = `${server.url}/api/v1/products/${gate.productLogin}/outputs/0/toggle`;
    expect((await call('POST', url, undefined, { token })).status).toBe(200);
    expect((await call('POST', url, {}, { token })).status).toBe(200);
    expect((await call('POST', url, { anything: 1 }, { token })).status).toBe(200);
    expectError(await call('POST', url, [], { token }), 422, 'invalid-params');
    expectError(await call('POST', url, '"text"', { token }), 422, 'invalid-params');
  });
});

describe('unreadable request: 422 invalid-params', () => {
  const LOGIN = '/api/v1/auth/login';
  test.each<[string, string | Uint8Array, Record<string, string>]>([
    ['bad JSON', '{', {}],
    ['invalid UTF-8', Buffer.concat([Buffer.from('{"clientKey":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]), {}],
    ['another Content-Type', '{"clientKey":"x"}', { 'content-type': 'text/plain' }],
    [
      'another charset',
      Buffer.from('{"clientKey":"x"}', 'utf16le'),
      { 'content-type': 'application/json; charset=utf-16le' },
    ],
    ['a compressed body', '{"clientKey":"x"}', { 'content-encoding': 'gzip' }],
    ['an array', '[]', {}],
    ['null', 'null', {}],
    ['a number', '1e400', {}],
    ['nothing but brackets', '['.repeat(8_000), {}],
  ])('%s', async (_what, body, headers) => {
    expectError(await call('POST', server.url + LOGIN, body, { headers }), 422, 'invalid-params');
  });

  test('deep nesting in a member that nobody asks for is read without harm', async () => {
    const body = `{"clientKey":"x","deep":${'['.repeat(7_000)}${']'.repeat(7_000)}}`;
    expectError(await call('POST', server.url + LOGIN, body), 401, 'client-key-not-found');
  });

  test('an undecodable path, after 401', async () => {
    const url = `${server.url}/api/v1/products/%zz/state`;
    expectError(await call('GET', url), 401, 'bad-token');
    expectError(await call('GET', url, undefined, { token }), 422, 'invalid-params');
  });

  test('no body at all where one is needed', async () => {
    expectError(await call('POST', server.url + LOGIN), 422, 'invalid-params');
  });
});

describe('other statuses', () => {
  test.each([
    '/',
    '/api',
    '/api/v1',
    '/api/nothing',
    '/api/login/',
    '/api/Login',
    '/api/v2/auth/login',
    '/api/v1/products/a/b/c',
  ])('404 not-found: %s', async (path) =>
    expectError(await call('GET', server.url + path, undefined, { token }), 404, 'not-found'),
  );

  test.each([
    ['GET', '/api/login', 'POST'],
    ['PUT', '/api/setOutputProduct', 'POST'],
    ['DELETE', '/api/v1/products', 'POST'],
    ['GET', '/api/v1/products/gate', 'DELETE'],
    ['POST', '/api/v1/products/gate/state', 'GET, HEAD'],
    ['PUT', '/api/v1/products/gate/outputs/0', 'PATCH'],
    ['OPTIONS', '/api/v1/products/gate/outputs/0/toggle', 'POST'],
    ['POST', '/healthz', 'GET, HEAD'],
  ])('405 method-not-allowed: %s %s allows %s', async (method, path, allow) => {
    const answer = await call(method, server.url + path);
    expectError(answer, 405, 'method-not-allowed');
    expect(answer.headers.get('allow')).toBe(allow);
  });

  test('413 payload-too-large', async () => {
    const body = JSON.stringify({ clientKey: 'x'.repeat(20_000) });
    expectError(await call('POST', `${server.url}/api/v1/auth/login`, body), 413, 'payload-too-large');
  });
});

describe('content types and caching', () => {
  test('every API answer forbids storing it', async () => {
    const answers = [
      await call('GET', `${server.url}/api/nothing`),
      await v1(server.url).toggle(gate.productLogin, 0, { token }),
    ];
    expect(answers.map((answer) => answer.headers.get('cache-control'))).toEqual(['no-store', 'no-store']);
    expect(answers[0]?.headers.get('x-powered-by')).toBeNull();
    expect(answers[1]?.headers.get('etag')).toBeNull();
  });
});

describe('a command’s outcome', () => {
  const outcomeOf = (commandId: string | null, as: string) =>
    call('GET', `${server.url}/api/v1/commands/${commandId}`, undefined, { token: as });

  test('is told to the client that gave it', async () => {
    const answer = await v1(server.url).toggle(gate.productLogin, 0, { token });
    const status = await outcomeOf(answer.headers.get('command-id'), token);
    expect(status.json).toMatchObject({
      productLogin: gate.productLogin,
      numOutput: 0,
      action: 'toggle',
      state: null,
      outcome: 'executed',
    });
  });

  test('is not found by another client of the same product, nor by its own after dissociating (I7)', async () => {
    const other = await server.newToken();
    await server.associate(other, gate);
    const answer = await v1(server.url).toggle(gate.productLogin, 0, { token: other });
    const commandId = answer.headers.get('command-id');
    expectError(await outcomeOf(commandId, token), 404, 'not-found');
    expect((await outcomeOf(commandId, other)).status).toBe(200);
    await v1(server.url).deleteProduct(gate.productLogin, { token: other });
    expectError(await outcomeOf(commandId, other), 404, 'not-found');
    expectError(await outcomeOf('no-such-command', token), 404, 'not-found');
  });
});

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

describe('health', () => {
  test('healthz and readyz', async () => {
    expect(await call('GET', `${server.url}/healthz`)).toMatchObject({ status: 200, json: { status: 'ok' } });
    expect(await call('GET', `${server.url}/readyz`)).toMatchObject({ status: 200, json: { status: 'ready' } });
  });

  test('readyz turns red while the database takes no writes', async () => {
    await server.whileStorageFails(async () => {
      const { json } = await server.untilAnswer('/readyz', 503);
      expect(json).toEqual({ status: 'not-ready', problems: ['the database takes no writes'] });
      expect((await call('GET', `${server.url}/healthz`)).status).toBe(200);
    });
  });
});
