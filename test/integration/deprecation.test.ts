import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, call, legacy, v1 } from '../support/server/api-client';
import { serverForAll } from '../support/server/server-for-all';
import { startTestServer, type TestProduct } from '../support/server/test-server';

/** Contract section 9: every legacy answer carries Deprecation and Link, whatever its status; no v1 answer does. */
const server = serverForAll();
let gate: TestProduct;
let token: string;

beforeAll(async () => {
  gate = await server.newProduct({ productLogin: 'gate.north_1-a' });
  token = await server.newToken();
  await server.associate(token, gate);
});

const UNKNOWN = '%7BproductLogin%7D';

function expectDeprecated(answer: Answer, successor: string): void {
  expect(answer.headers.get('deprecation')).toBe('@1735689600');
  expect(answer.headers.get('link')).toBe(`<${successor}>; rel="successor-version"`);
}

const LEGACY: [path: string, body: object, successor: string, withoutValues: string][] = [
  ['login', { clientKey: 'x' }, '/api/v1/auth/login', '/api/v1/auth/login'],
  ['refreshToken', { clientKey: 'x', refreshToken: 'y' }, '/api/v1/auth/refresh', '/api/v1/auth/refresh'],
  ['addProduct', { productLogin: 'a', productKey: 'b' }, '/api/v1/products', '/api/v1/products'],
  ['deleteProduct', { productLogin: 'a b' }, '/api/v1/products/a%20b', `/api/v1/products/${UNKNOWN}`],
  ['getProductStates', { productLogin: 'é' }, '/api/v1/products/%C3%A9/state', `/api/v1/products/${UNKNOWN}/state`],
  [
    'toggleOutputProduct',
    { productLogin: '../x', numOutput: 7 },
    '/api/v1/products/..%2Fx/outputs/7/toggle',
    `/api/v1/products/${UNKNOWN}/outputs/%7BnumOutput%7D/toggle`,
  ],
  [
    'setOutputProduct',
    { productLogin: '"<>\r\n', numOutput: 0, state: 1 },
    '/api/v1/products/%22%3C%3E%0D%0A/outputs/0',
    `/api/v1/products/${UNKNOWN}/outputs/%7BnumOutput%7D`,
  ],
];

describe.each(LEGACY)('POST /api/%s', (path, body, successor, withoutValues) => {
  const post = (value: unknown, headers: Record<string, string> = {}) =>
    call('POST', `${server.url}/api/${path}`, value, { token, headers });
  const open = path === 'login' || path === 'refreshToken';

  test('points to its successor with the values of a body that passed its schema', async () => {
    expectDeprecated(await post(body), successor);
  });

  test('on 401 the successor is named without values', async () => {
    const answer = await call('POST', `${server.url}/api/${path}`, body);
    expect(answer.status).toBe(401);
    expectDeprecated(answer, open ? successor : withoutValues);
  });

  test('on 405', async () => {
    const answer = await call('GET', `${server.url}/api/${path}`);
    expect(answer.status).toBe(405);
    expectDeprecated(answer, withoutValues);
  });

  test('on 413', async () => {
    const answer = await post(JSON.stringify({ ...body, filler: 'x'.repeat(20_000) }));
    expect(answer.status).toBe(413);
    expectDeprecated(answer, withoutValues);
  });

  test.each(['{', '[]', '{}'])('on 422 for the body %s', async (text) => {
    const answer = await post(text);
    expect(answer.status).toBe(422);
    expectDeprecated(answer, withoutValues);
  });

  test('on 500', async () => {
    const { clientKey } = await server.newClient();
    const { refreshToken } = (await legacy(server.url).login(clientKey)).json as { refreshToken: string };
    await server.whileStorageFails(async () => {
      const answer = await post(open ? { clientKey, refreshToken } : body);
      expect(answer).toMatchObject({ status: 500, json: { error: 'unknown' } });
      expectDeprecated(answer, open ? successor : withoutValues);
    });
  });
});

test('on 429, with the values of the body', async () => {
  const limited = await startTestServer();
  try {
    const last = async () => legacy(limited.url).login('nonsense');
    for (let n = 0; n < 20; n += 1) expect((await last()).status).toBe(401);
    const answer = await last();
    expect(answer.status).toBe(429);
    expectDeprecated(answer, '/api/v1/auth/login');
  } finally {
    await limited.stop();
  }
});

test('on 200, 403, 404 and 504 of a command', async () => {
  const product = encodeURIComponent(gate.productLogin);
  const device = await server.linkDevice(gate);
  const ok = await legacy(server.url).set(gate.productLogin, 1, 1, { token });
  expect(ok.status).toBe(200);
  expectDeprecated(ok, `/api/v1/products/${product}/outputs/1`);
  device.react = ({ commandId }, self) =>
    self.send({ type: 'result', commandId, outcome: 'refused', reason: 'locked' });
  const refused = await legacy(server.url).toggle(gate.productLogin, 1, { token });
  expect(refused.status).toBe(504);
  expectDeprecated(refused, `/api/v1/products/${product}/outputs/1/toggle`);
  const forbidden = await legacy(server.url).set(gate.productLogin, 1, 1, { token: await server.newToken() });
  expect(forbidden.status).toBe(403);
  expectDeprecated(forbidden, `/api/v1/products/${product}/outputs/1`);
  const unknown = await legacy(server.url).state('nobody', { token });
  expect(unknown.status).toBe(404);
  expectDeprecated(unknown, '/api/v1/products/nobody/state');
});

test('never on v1, nor on paths that are no operation', async () => {
  const answers = [
    await v1(server.url).login('nonsense'),
    await v1(server.url).state(gate.productLogin, { token }),
    await v1(server.url).state(gate.productLogin),
    await call('GET', `${server.url}/api/v1/auth/login`),
    await call('GET', `${server.url}/api/nothing`),
    await call('GET', `${server.url}/healthz`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([401, 200, 401, 405, 404, 200]);
  for (const { headers } of answers) expect([headers.get('deprecation'), headers.get('link')]).toEqual([null, null]);
});
