import { once } from 'node:events';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { newProductKey } from '@relaygate/server/products/product-key';
import { CLOSE, LINK_PATH, LINK_SUBPROTOCOL, MAX_REQUEST_HEADERS, REFUSALS_LOGGED_PER_SOURCE } from '@relaygate/shared';
import { systemRandomness } from '@relaygate/shared/system';
import { WebSocket } from 'ws';
import { call, legacy, v1 } from '../support/server/api-client';
import { RawHttp } from '../support/server/raw-http';
import { serverForAll } from '../support/server/server-for-all';
import type { TestProduct } from '../support/server/test-server';

/** Whoever watches a server sees who is refused: one line with a stable code and the address, and no secret in it. */
const server = serverForAll({ trustedProxies: 'loopback' });
let gate: TestProduct;
let clientId: string;
let token: string;
let asked = 0;

beforeAll(async () => {
  gate = await server.newProduct();
  ({ clientId, token } = await server.newClientWithToken());
});

/** A new one each time, so that no line is summed up. */
let address: string;
let headers: Record<string, string>;
let requestId: string;
beforeEach(() => {
  asked += 1;
  address = `198.51.100.${asked}`;
  requestId = `request-${asked}`;
  headers = { 'x-forwarded-for': `${address}:5000`, 'request-id': requestId };
  server.log.lines.length = 0;
});

function expectLine(level: 'info' | 'warn', fields: object): void {
  expect(server.log.lines).toEqual([{ level, event: 'request refused', fields: { address, requestId, ...fields } }]);
}

test('a failed login: the key id, never the key', async () => {
  const { clientKey, keyId } = await server.newClient();
  const wrong = clientKey.slice(0, -4) + (clientKey.endsWith('0000') ? '1111' : '0000');
  await call('POST', `${server.url}/api/login`, { clientKey: wrong }, { headers });
  expectLine('warn', { code: 'client-key-not-found', method: 'POST', path: '/api/login', keyId });
});

test('a refused refresh', async () => {
  await call('POST', `${server.url}/api/v1/auth/refresh`, { refreshToken: 'nonsense' }, { headers });
  expectLine('info', { code: 'bad-token', method: 'POST', path: '/api/v1/auth/refresh' });
});

test('401 without a sound token', async () => {
  await v1(server.url).state(gate.productLogin, { headers, token: 'nonsense' });
  const { productLogin } = gate;
  const path = '/api/v1/products/{productLogin}/state';
  expectLine('info', { code: 'bad-token', method: 'GET', path, productLogin });
});

test.each([
  ['v1', v1, 'PATCH', '/api/v1/products/{productLogin}/outputs/{numOutput}'],
  ['legacy', legacy, 'POST', '/api/setOutputProduct'],
])('403 of a command, %s', async (_name, make, method, path) => {
  await make(server.url).set(gate.productLogin, 0, 1, { token, headers });
  const { productLogin } = gate;
  expectLine('info', { code: 'user-not-allowed', method, path, clientId, productLogin });
});

test('404 of a claim with a wrong key', async () => {
  await v1(server.url).addProduct(gate.productLogin, newProductKey(systemRandomness), { token, headers });
  const { productLogin } = gate;
  expectLine('info', { code: 'product-not-found', method: 'POST', path: '/api/v1/products', clientId, productLogin });
});

test('a product key in the place of the login is not logged', async () => {
  await legacy(server.url).addProduct(gate.productKey, gate.productLogin, { token, headers });
  await v1(server.url).state(gate.productKey.toLowerCase().replaceAll('-', ''), { token, headers });
  expect(server.log.lines.map(({ fields }) => fields)).toEqual([
    { code: 'product-not-found', address, requestId, method: 'POST', path: '/api/addProduct', clientId },
    {
      code: 'product-not-found',
      address,
      requestId,
      method: 'GET',
      path: '/api/v1/products/{productLogin}/state',
      clientId,
    },
  ]);
});

test.each([
  ['/wp-login.php?rgc_secret=1', '/wp-login.php'],
  ['/api/v1/rgc_0123456789abcdef_secret/x', '/api/v1/***/x'],
  ['/rgr%5F00', '/***'],
  ['/eyJhbGciOiJIUzI1NiJ9.e30.c2ln', '/***'],
  [`/${'x'.repeat(9_000)}`, `/${'x'.repeat(99)}`],
  ['/a%0d%0ab', '/a%0d%0ab'],
])('404 of a path that is none: %.30s', async (asked, path) => {
  await call('GET', `${server.url}${asked}`, undefined, { headers });
  expectLine('info', { code: 'not-found', method: 'GET', path });
});

test('405 and 422', async () => {
  await call('GET', `${server.url}/api/v1/auth/login`, undefined, { headers });
  await call('POST', `${server.url}/api/v1/auth/login`, { clientKey: 7 }, { headers });
  expect(server.log.lines.map(({ fields }) => fields)).toEqual([
    { code: 'method-not-allowed', address, requestId, method: 'GET', path: '/api/v1/auth/login' },
    { code: 'invalid-params', address, requestId, method: 'POST', path: '/api/v1/auth/login' },
  ]);
});

test('429 once it begins', async () => {
  const login = () => call('POST', `${server.url}/api/login`, { clientKey: 'nonsense' }, { headers });
  for (let n = 0; n < 21; n += 1) await login();
  const codes = server.log.lines.map(({ level, fields }) => [level, fields.code]);
  expect(codes).toEqual([...Array(5).fill(['warn', 'client-key-not-found']), ['warn', 'too-many-requests']]);
});

describe('beyond the routes', () => {
  const UPGRADE = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13'];
  const KEY = 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==';
  const TWICE = [`Sec-WebSocket-Protocol: ${LINK_SUBPROTOCOL}, ${LINK_SUBPROTOCOL}`];
  const ANY: unknown = expect.any(String);
  const BYTES_32 = 'A'.repeat(43);
  const HELLO = {
    ...{ type: 'hello', productLogin: 'no-such-gate', publicKey: BYTES_32, deviceNonce: BYTES_32 },
    ...{ agentVersion: '1', bootId: 'b', instanceId: 'i' },
  };
  const codes = (): unknown[] => server.log.lines.map(({ fields }) => fields.code);

  /** What is answered, once the connection is over. */
  async function wholeAnswer(...lines: string[]): Promise<string> {
    const http = new RawHttp(server.url);
    http.send(...lines, '', '');
    await http.closed();
    return http.received;
  }
  const answered = async (...lines: string[]): Promise<string> => (await wholeAnswer(...lines)).split('\r\n')[0] ?? '';

  test.each([
    [
      'from a page',
      ['Origin: https://evil', `Sec-WebSocket-Protocol: ${LINK_SUBPROTOCOL}`],
      '403 Forbidden',
      'link-origin',
    ],
    ['without the subprotocol', [], '400 Bad Request', 'link-subprotocol'],
    [
      'with two keys',
      ['Sec-WebSocket-Key: B', `Sec-WebSocket-Protocol: ${LINK_SUBPROTOCOL}`],
      '400 Bad Request',
      'link-handshake',
    ],
    ['with the subprotocol twice', TWICE, '400 Bad Request', 'link-handshake'],
  ])('an upgrade %s: a line each, up to the bound', async (_name, more, status, code) => {
    const asks = [`GET ${LINK_PATH} HTTP/1.1`, `X-Forwarded-For: ${address}`, ...UPGRADE, KEY, ...more];
    const named: unknown[] = [];
    for (let n = 0; n < REFUSALS_LOGGED_PER_SOURCE + 3; n += 1) {
      const answer = await wholeAnswer(...asks);
      expect(answer).toContain(status);
      named.push(/^Request-Id: (\S{36})\r$/m.exec(answer)?.[1]);
    }
    const logged = named.slice(0, REFUSALS_LOGGED_PER_SOURCE);
    expect(server.log.lines).toEqual(
      logged.map((requestId) => ({ level: 'info', event: 'link refused', fields: { code, address, requestId } })),
    );
  });

  test('what is no HTTP: a line each with the address of the peer, up to the bound', async () => {
    for (let n = 0; n < REFUSALS_LOGGED_PER_SOURCE + 3; n += 1) expect(await answered('no HTTP')).toContain('400');
    expect(server.log.lines).toEqual(
      Array(REFUSALS_LOGGED_PER_SOURCE).fill({
        level: 'info',
        event: 'request refused',
        fields: { code: 'bad-request', address: '127.0.0.1', requestId: ANY, reason: 'HPE_INVALID_METHOD' },
      }),
    );
  });

  test('more headers than are taken, and a URL that is none', async () => {
    const forwarded = `X-Forwarded-For: ${address}`;
    const many = Array.from({ length: MAX_REQUEST_HEADERS + 1 }, (_, n) => `x${n}: 1`);
    await answered('GET / HTTP/1.1', forwarded, ...many);
    await answered('GET http://[ HTTP/1.1', forwarded);
    expectLines('bad-request', 'invalid-params');
  });

  test('links with a wrong name: a warning each, up to the bound', async () => {
    const url = `${server.url.replace('http', 'ws')}${LINK_PATH}`;
    for (let n = 0; n < REFUSALS_LOGGED_PER_SOURCE + 3; n += 1) {
      const device = new WebSocket(url, LINK_SUBPROTOCOL, { headers });
      await once(device, 'open');
      device.send(JSON.stringify(HELLO));
      // To its challenge.
      device.once('message', () => device.send(JSON.stringify({ type: 'proof', signature: 'A'.repeat(86) })));
      expect((await once(device, 'close'))[0]).toBe(CLOSE.refused);
    }
    expect(codes()).toEqual(Array(REFUSALS_LOGGED_PER_SOURCE).fill('not-proven'));
    expect(server.log.lines[0]).toEqual({
      level: 'warn',
      event: 'link refused',
      fields: { code: 'not-proven', address, productLogin: HELLO.productLogin },
    });
  });

  function expectLines(...wanted: string[]): void {
    expect(server.log.lines.map(({ fields }) => fields)).toEqual(
      wanted.map((code) => ({ code, address, requestId: ANY })),
    );
  }
});

test('a failure of the server is logged without the product key that somebody has put into the path', async () => {
  const { productKey } = await server.newProduct();
  const token = await server.newToken();
  await server.whileStorageFails(async () => {
    await v1(server.url).state(productKey, { token });
  });
  const [line] = server.log.lines.filter(({ event }) => event === 'request failed');
  expect(line?.fields).toMatchObject({ method: 'GET', path: '/api/v1/products/***/state' });
});

test('what is served, and failures of the server, are none', async () => {
  const { clientKey } = await server.newClient();
  await legacy(server.url).login(clientKey);
  await server.whileStorageFails(async () => {
    await legacy(server.url).login(clientKey);
  });
  // The look for revocations may have met the failure too.
  const events = server.log.lines.map(({ event }) => event).filter((event) => event !== 'revocations not readable');
  expect(events).toEqual(['request failed']);
});
