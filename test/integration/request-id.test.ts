import { beforeEach, describe, expect, test } from '@jest/globals';
import { MAX_REQUEST_HEADERS } from '@relaygate/shared';
import { call } from '../support/server/api-client';
import { RawHttp } from '../support/server/raw-http';
import { serverForAll } from '../support/server/server-for-all';

/** Each answer names its request, and the log names the refused ones alike. */
const server = serverForAll();
beforeEach(() => {
  server.log.lines.length = 0;
});

const NEW = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function idOf(method: string, path: string, headers = {}): Promise<string> {
  const answer = await call(method, server.url + path, undefined, { headers });
  return answer.headers.get('request-id') ?? '';
}

/** The value in the answer to these lines, which need not be HTTP. */
async function rawIdOf(...lines: string[]): Promise<string> {
  const http = new RawHttp(server.url);
  http.send(...lines, '', '');
  return /\r\nRequest-Id: (\S+)\r\n/i.exec(await http.closed())?.[1] ?? '';
}

test('every answer has one of its own', async () => {
  const ids = [
    await idOf('GET', '/healthz'),
    await idOf('GET', '/openapi.json'),
    await idOf('GET', '/nothing'),
    await idOf('GET', '/api/v1/commands/x'),
    await idOf('POST', '/api/login'),
    await idOf('PUT', '/api/login'),
    await rawIdOf('no HTTP'),
    await rawIdOf('GET http://[ HTTP/1.1'),
    await rawIdOf('GET / HTTP/1.1', ...Array.from({ length: MAX_REQUEST_HEADERS + 1 }, (_, n) => `x${n}: 1`)),
  ];
  for (const id of ids) expect(id).toMatch(NEW);
  expect(new Set(ids).size).toBe(ids.length);
});

describe('what the caller chose', () => {
  test.each(['a', '7f3c', '019a9f0e-7c1e-7f00-8000-000000000000', 'trace.1_2', 'x'.repeat(64)])(
    'is taken if it is a short token: %s',
    async (chosen) => {
      expect(await idOf('GET', '/healthz', { 'request-id': chosen })).toBe(chosen);
    },
  );

  test.each(['', 'x'.repeat(65), 'a b', 'a"b', 'é', 'rgc_0123', 'eyJhbGciOi', 'PZZQ-DVK5-VNAC-RGXV-6AN2-368G-H004'])(
    'is not taken else, nor if it may be a secret: %j',
    async (chosen) => {
      expect(await idOf('GET', '/healthz', { 'request-id': chosen })).toMatch(NEW);
    },
  );

  test('is not taken if there are two', async () => {
    const ask = ['GET /healthz HTTP/1.1', 'Connection: close'];
    expect(await rawIdOf(...ask, 'Request-Id: a')).toBe('a');
    expect(await rawIdOf(...ask, 'Request-Id: a', 'Request-Id: b')).toMatch(NEW);
  });
});

test('the log has it of refused requests, of what is no HTTP, and of failures', async () => {
  const { clientKey } = await server.newClient();
  const ids = [await idOf('GET', '/api/v1/commands/x'), await rawIdOf('no HTTP')];
  await server.whileStorageFails(async () => {
    const answer = await call('POST', `${server.url}/api/login`, { clientKey });
    expect(answer.status).toBe(500);
    ids.push(answer.headers.get('request-id') ?? '');
  });
  const logged = server.log.lines.filter(({ event }) => event.startsWith('request '));
  expect(logged.map(({ fields }) => fields.requestId)).toEqual(ids);
});
