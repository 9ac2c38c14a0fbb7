/** HEAD on every route (RFC 9110 section 9.3.2): what GET would answer, without its body; elsewhere 405, and nothing moves. */
import { beforeAll, expect, test } from '@jest/globals';
import { EVERY_ROUTE, type Route } from '../support/server/every-route';
import { linkNewGate } from '../support/server/linked-gate';
import { RawHttp } from '../support/server/raw-http';
import type { ScriptedDevice } from '../support/server/scripted-device';
import { serverForAll } from '../support/server/server-for-all';
import type { TestProduct } from '../support/server/test-server';

const server = serverForAll();
let gate: TestProduct;
let token: string;
let device: ScriptedDevice;
let commandId: string;
beforeAll(async () => {
  ({ gate, token, device } = await linkNewGate(server));
  const toggled = await fetch(`${server.url}/api/v1/products/${gate.productLogin}/outputs/0/toggle`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  });
  commandId = toggled.headers.get('command-id') ?? '';
});

interface Wired {
  status: number;
  headers: Map<string, string>;
  body: string;
}

async function asked(method: string, path: string, authorization: readonly string[]): Promise<Wired> {
  const raw = new RawHttp(server.url);
  raw.send(`${method} ${path} HTTP/1.1`, 'Host: gate', 'Connection: close', ...authorization, '', '');
  const [head = '', body = ''] = (await raw.closed()).split(/\r\n\r\n(.*)/s);
  const [status, ...lines] = head.split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status: Number(status?.split(' ')[1]), headers: new Map(headers), body };
}

const GETS = [
  ...EVERY_ROUTE.filter(({ method }) => method === 'GET').map(({ name, path }) => ({
    name,
    path: (): string => `/api${path(name.includes('{commandId}') ? commandId : gate.productLogin, '0')}`,
  })),
  ...['/healthz', '/readyz', '/openapi.json'].map((path) => ({ name: path, path: (): string => path })),
];

test.each(GETS)('HEAD $name answers as GET does, without the body', async ({ path }) => {
  const own = [`Authorization: Bearer ${token}`];
  const got = await asked('GET', path(), own);
  const head = await asked('HEAD', path(), own);
  expect(got.status).toBe(200);
  expect(got.body).not.toBe('');
  expect(head.body).toBe('');
  expect(head.status).toBe(200);
  const headersOf = ({ headers }: Wired) =>
    Object.fromEntries([...headers].filter(([name]) => !['date', 'request-id', 'ratelimit'].includes(name)));
  expect(headersOf(head)).toEqual(headersOf(got));
});

const hasGet = (route: Route): boolean =>
  EVERY_ROUTE.some(({ method, path }) => method === 'GET' && path('x', '0') === route.path('x', '0'));

test.each(EVERY_ROUTE.filter((route) => !hasGet(route)))(
  'HEAD $name is not taken, says what is, and moves nothing',
  async ({ path }) => {
    const before = device.commands.length;
    const { status, headers, body } = await asked('HEAD', `/api${path(gate.productLogin, '0')}`, [
      `Authorization: Bearer ${token}`,
    ]);
    expect({ status, body }).toEqual({ status: 405, body: '' });
    expect(headers.get('allow')).toMatch(/^[A-Z]+(, [A-Z]+)*$/);
    expect(headers.get('allow')).not.toContain('HEAD');
    expect(Number(headers.get('content-length'))).toBeGreaterThan(0);
    expect(device.commands).toHaveLength(before);
  },
);

test('HEAD without a token gets 401, without a body', async () => {
  const { status, headers, body } = await asked('HEAD', `/api/v1/products/${gate.productLogin}/state`, []);
  expect({ status, body }).toEqual({ status: 401, body: '' });
  expect(headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
});
