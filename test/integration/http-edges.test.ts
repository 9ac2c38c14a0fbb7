import { beforeAll, describe, expect, test } from '@jest/globals';
import { LINK_PATH, LINK_SUBPROTOCOL, MAX_PIPELINED_REQUESTS, MAX_REQUEST_HEADERS } from '@relaygate/shared';
import { linkNewGate } from '../support/server/linked-gate';
import { RawHttp } from '../support/server/raw-http';
import type { ScriptedDevice } from '../support/server/scripted-device';
import { serverForAll } from '../support/server/server-for-all';
import type { TestProduct } from '../support/server/test-server';

/** What reaches the server below and beside HTTP: every answer is the contract's, no socket is left behind. */
const server = serverForAll();
let gate: TestProduct;
let token: string;
let device: ScriptedDevice;
beforeAll(async () => {
  ({ gate, token, device } = await linkNewGate(server));
});

/** A command that waits for the device. */
function setRequest(): string[] {
  const headers = [`Authorization: Bearer ${token}`, 'Content-Type: application/json', 'Content-Length: 11'];
  const line = `PATCH /api/v1/products/${gate.productLogin}/outputs/0 HTTP/1.1`;
  return [line, 'Host: x', ...headers, '', '{"state":1}'];
}

const LEGACY_HEADERS =
  /^Deprecation: @1735689600\r$[\s\S]*^Link: <\/api\/v1\/auth\/login>; rel="successor-version"\r$/m;
/** Of a device, but for the subprotocol. */
const LINK_UPGRADE = ['Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='];
const LOGIN_BODY = '{"clientKey":"nonsense"}';

describe('a request that asks for an upgrade which this server does not know', () => {
  test.each([
    ['legacy', '/api/login', LEGACY_HEADERS],
    ['v1', '/api/v1/auth/login', /Cache-Control: no-store/],
  ])('is answered as if it had not asked, %s', async (_name, path, headers) => {
    const http = new RawHttp(server.url);
    const upgrade = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'];
    const type = ['Content-Type: application/json', `Content-Length: ${LOGIN_BODY.length}`];
    http.send(`POST ${path} HTTP/1.1`, 'Host: x', ...upgrade, ...type, '', LOGIN_BODY);
    const answer = await http.match(/\{"error":"client-key-not-found"\}$/);
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toMatch(headers);
    // And the connection serves on.
    http.send('GET /healthz HTTP/1.1', 'Host: x', '', '');
    await http.match(/\{"status":"ok"\}$/);
    http.socket.destroy();
  });

  test('with more headers than a request may have: 400, and its body is not taken for a request', async () => {
    const http = new RawHttp(server.url);
    const upgrade = ['Connection: Upgrade', 'Upgrade: h2c'];
    const many = Array.from({ length: MAX_REQUEST_HEADERS }, () => 'a:');
    const inner = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
    http.send('POST /api/login HTTP/1.1', ...many, ...upgrade, `Content-Length: ${inner.length}`, '', inner);
    const answer = await http.closed();
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(/\{"error":"bad-request"\}$/);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  test.each([
    ['to another path', '/healthz', ['Upgrade: h2c']],
    [
      'to the device link, as a device asks',
      LINK_PATH,
      [...LINK_UPGRADE, `Sec-WebSocket-Protocol: ${LINK_SUBPROTOCOL}`],
    ],
    ['to the device link, without its subprotocol', LINK_PATH, LINK_UPGRADE],
    ['to the device link, as a page asks', LINK_PATH, [...LINK_UPGRADE, 'Origin: https://example.com']],
  ])('behind a command in flight, %s: no answer is made up', async (_name, path, headers) => {
    const http = new RawHttp(server.url);
    device.react = () => {};
    http.send(...setRequest());
    const command = await device.commanded(device.commands.length + 1);
    http.send(`GET ${path} HTTP/1.1`, 'Host: x', 'Connection: Upgrade', ...headers, '', '');
    expect(await http.closed()).toBe('');
    device.obey(command);
    await device.roundTrip();
  });

  test('to the device link but not as a device: refused, and the socket is gone', async () => {
    const http = new RawHttp(server.url);
    const headers = ['Connection: Upgrade', ...LINK_UPGRADE, 'Origin: https://example.com'];
    http.send(`GET ${LINK_PATH} HTTP/1.1`, 'Host: x', ...headers, '', '');
    expect(await http.closed()).toMatch(/^HTTP\/1\.1 403 /);
  });
});

describe('requests of one connection that come before the first is answered', () => {
  const request = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n';

  test('are answered in their order', async () => {
    const http = new RawHttp(server.url);
    http.send(request.repeat(MAX_PIPELINED_REQUESTS));
    await http.until((received) => received.split('HTTP/1.1 200 ').length > MAX_PIPELINED_REQUESTS, 'all answers');
    http.socket.destroy();
  });

  test('in a number that no client has: the connection is cut, and nothing is made up', async () => {
    const http = new RawHttp(server.url);
    http.send(request.repeat(300));
    const answers = (await http.closed()).match(/HTTP\/1\.1 \d+/g) ?? [];
    expect(answers.length).toBeLessThanOrEqual(MAX_PIPELINED_REQUESTS);
    expect(new Set(answers)).not.toContain('HTTP/1.1 400');
  });
});

describe('a request that cannot be read', () => {
  test('no HTTP at all: 400 bad-request', async () => {
    const http = new RawHttp(server.url);
    http.send('hello', '', '');
    const answer = await http.closed();
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(/\{"error":"bad-request"\}$/);
  });

  test('no Host: answered like any other', async () => {
    const http = new RawHttp(server.url);
    http.send('POST /api/login HTTP/1.1', 'Content-Length: 0', '', '');
    const answer = await http.match(/\{"error":"invalid-params"\}$/);
    expect(answer).toMatch(LEGACY_HEADERS);
    http.socket.destroy();
  });

  test('a broken chunked body: 422 with the headers of its path', async () => {
    const http = new RawHttp(server.url);
    const type = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
    http.send('POST /api/login HTTP/1.1', 'Host: x', ...type, '', 'zz', 'x', '');
    const answer = await http.closed();
    expect(answer).toMatch(/^HTTP\/1\.1 422 /);
    expect(answer).toMatch(LEGACY_HEADERS);
    expect(answer).toMatch(/\{"error":"invalid-params"\}$/);
  });

  test('a broken absolute URL: 422', async () => {
    const http = new RawHttp(server.url);
    http.send('GET http://[/api/login HTTP/1.1', 'Host: x', '', '');
    expect(await http.closed()).toMatch(/^HTTP\/1\.1 422 [\s\S]*\{"error":"invalid-params"\}$/);
  });

  test('an absolute URL that can be read is served', async () => {
    const http = new RawHttp(server.url);
    http.send('GET http://somewhere/healthz HTTP/1.1', 'Host: somewhere', '', '');
    await http.match(/\{"status":"ok"\}$/);
    http.socket.destroy();
  });

  test('more headers than a request may have: 400, without an upgrade too', async () => {
    const http = new RawHttp(server.url);
    const many = Array.from({ length: MAX_REQUEST_HEADERS }, () => 'a:');
    http.send('GET /healthz HTTP/1.1', 'Host: x', ...many, '', '');
    expect(await http.closed()).toMatch(/^HTTP\/1\.1 400 [\s\S]*\{"error":"bad-request"\}$/);
    const fewer = new RawHttp(server.url);
    fewer.send('GET /healthz HTTP/1.1', 'Host: x', ...many.slice(1), '', '');
    await fewer.match(/\{"status":"ok"\}$/);
    fewer.socket.destroy();
  });

  test('headers beyond measure: 400, and others are served', async () => {
    const http = new RawHttp(server.url);
    http.send('GET /healthz HTTP/1.1', 'Host: x', `X-Long: ${'x'.repeat(40_000)}`, '', '');
    expect(await http.closed()).toMatch(/^HTTP\/1\.1 400 /);
  });
});

test('garbage behind a command in flight: no answer is made up, and the command runs on', async () => {
  device.react = () => {};
  const http = new RawHttp(server.url);
  const headers = [`Authorization: Bearer ${token}`, 'Content-Type: application/json', 'Content-Length: 11'];
  http.send(`PATCH /api/v1/products/${gate.productLogin}/outputs/0 HTTP/1.1`, 'Host: x', ...headers, '', '{"state":1}');
  const command = await device.commanded(device.commands.length + 1);
  http.send('garbage', '', '');
  expect(await http.closed()).toBe('');
  device.obey(command);
  await device.roundTrip();
  expect(device.states[0]).toBe(1);
});

test('garbage behind a second command that waits for nobody: no answer is made up for it either', async () => {
  device.react = () => {};
  const http = new RawHttp(server.url);
  http.socket.write(['GET /healthz HTTP/1.1', 'Host: x', '', ...setRequest()].join('\r\n'));
  const command = await device.commanded(device.commands.length + 1);
  await http.match(/\{"status":"ok"\}$/);
  http.send('garbage', '', '');
  expect(await http.closed()).toMatch(/\{"status":"ok"\}$/);
  device.obey(command);
  await device.roundTrip();
});

test('chunked without a byte counts as no body', async () => {
  device.react = (command, self) => self.obey(command);
  const http = new RawHttp(server.url);
  const headers = [`Authorization: Bearer ${token}`, 'Transfer-Encoding: chunked'];
  http.send(
    `POST /api/v1/products/${gate.productLogin}/outputs/0/toggle HTTP/1.1`,
    'Host: x',
    ...headers,
    '',
    '0',
    '',
    '',
  );
  expect(await http.match(/\r\n\r\n.+/)).toMatch(/^HTTP\/1\.1 200 /);
  http.socket.destroy();
});
