import { describe, expect, test } from '@jest/globals';
import { type Answer, call } from '../support/server/api-client';
import { serverForAll } from '../support/server/server-for-all';

/** CORS for the origins that the operator lists. */
const ORIGIN = 'https://app.example.com';
const server = serverForAll({ settings: { corsOrigins: `${ORIGIN}, https://other.example.com:8443` } });
const closed = serverForAll();

const SET = '/api/v1/products/gate/outputs/0';

function corsOf({ headers }: Answer): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));
}

const preflight = (url: string, origin: string): Promise<Response> =>
  fetch(url, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'PATCH' } });

test('a listed origin: what its browser asks before is answered without a token', async () => {
  const { status, headers } = await preflight(server.url + SET, ORIGIN);
  expect(status).toBe(204);
  expect(Object.fromEntries(headers)).toMatchObject({
    'access-control-allow-origin': ORIGIN,
    'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE',
    'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key, Request-Id',
    'access-control-max-age': '600',
    vary: 'Origin',
  });
  expect(headers.has('access-control-allow-credentials')).toBe(false);
});

test.each(['GET', 'PUT'])('a listed origin may read each answer, errors too: %s', async (method) => {
  const answer = await call(method, server.url + SET, undefined, { headers: { origin: ORIGIN } });
  expect(answer.status).toBe(405);
  expect(corsOf(answer)).toEqual({
    'access-control-allow-origin': ORIGIN,
    'access-control-expose-headers': expect.stringContaining(
      'Command-Id, Idempotent-Replayed, Request-Id, Retry-After',
    ),
  });
});

test('an OPTIONS that is no preflight is answered as before', async () => {
  expect((await call('OPTIONS', server.url + SET, undefined, { headers: { origin: ORIGIN } })).status).toBe(405);
});

describe.each(['https://app.example.com.evil.net', 'http://app.example.com', 'https://APP.example.com', 'null'])(
  'another origin: %s',
  (origin) => {
    test('may read nothing, and its preflight is a method that is not there', async () => {
      const answer = await call('GET', `${server.url}/api/v1/commands/x`, undefined, { headers: { origin } });
      expect([corsOf(answer), answer.headers.get('vary')]).toEqual([{}, 'Origin']);
      expect((await preflight(server.url + SET, origin)).status).toBe(405);
    });
  },
);

test('without the setting nothing changes', async () => {
  const answer = await call('GET', `${closed.url}/api/v1/commands/x`, undefined, { headers: { origin: ORIGIN } });
  expect([corsOf(answer), answer.headers.get('vary')]).toEqual([{}, null]);
  expect((await preflight(closed.url + SET, ORIGIN)).status).toBe(405);
});
