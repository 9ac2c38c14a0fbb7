import { beforeAll, describe, expect, test } from '@jest/globals';
import { call, legacy, v1 } from '../support/server/api-client';
import { expectError } from '../support/server/expect-error';
import { linkNewGate } from '../support/server/linked-gate';
import type { ScriptedDevice } from '../support/server/scripted-device';
import { serverForAll } from '../support/server/server-for-all';
import { startTestServer, type TestProduct } from '../support/server/test-server';

/** The rows of design section 5 on how a request and an answer may look. */
const server = serverForAll();
let gate: TestProduct;
let token: string;
let device: ScriptedDevice;

beforeAll(async () => {
  ({ gate, token, device } = await linkNewGate(server));
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
    '/api/',
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
    ['DELETE', '/api/v1/products', 'POST, GET, HEAD'],
    ['GET', '/api/v1/products/gate', 'DELETE'],
    ['POST', '/api/v1/products/gate/state', 'GET, HEAD'],
    ['PUT', '/api/v1/products/gate/outputs/0', 'PATCH'],
    ['OPTIONS', '/api/v1/products/gate/outputs/0/toggle', 'POST'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['POST', '/', 'GET, HEAD'],
    ['DELETE', '/api', 'GET, HEAD'],
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

describe('the address of the server alone', () => {
  test('/ leads to what people read', async () => {
    const { status, headers } = await fetch(server.url, { redirect: 'manual' });
    expect([status, headers.get('location')]).toEqual([302, '/docs']);
    expect((await fetch(server.url)).status).toBe(200);
  });

  test('/ leads to the OpenAPI document where the page is not shown', async () => {
    const bare = await startTestServer({ settings: { docs: 'off' } });
    const { headers } = await fetch(bare.url, { redirect: 'manual' });
    const { json } = await call('GET', `${bare.url}/api`);
    await bare.stop();
    expect([headers.get('location'), json]).toEqual([
      '/openapi.json',
      { openapi: '/openapi.json', health: '/healthz' },
    ]);
  });

  test.each(['/docs', '/docs/guide'])('%s is found with a slash behind it', async (path) => {
    const { status, headers } = await fetch(`${server.url}${path}/`, { redirect: 'manual' });
    expect([status, headers.get('location')]).toEqual([302, path]);
  });

  test('/api names what there is', async () => {
    const { status, json } = await call('GET', `${server.url}/api`);
    expect(status).toBe(200);
    for (const path of Object.values(json as Record<string, string>)) {
      expect((await fetch(server.url + path)).status).toBe(200);
    }
    expect(json).toMatchObject({ openapi: '/openapi.json', docs: '/docs' });
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
