import { beforeAll, expect, test } from '@jest/globals';
import { FAILED_ATTEMPTS_PER_MINUTE, LIST_LIMITS } from '@relaygate/shared';
import { type Answer, call, legacy, v1 } from '../support/server/api-client';
import { linkNewGate } from '../support/server/linked-gate';
import { serverForAll } from '../support/server/server-for-all';
import type { TestProduct } from '../support/server/test-server';
import { VirtualClock } from '../support/time/virtual-clock';

/** `RateLimit` and `RateLimit-Policy` of v1 (draft-ietf-httpapi-ratelimit-headers). Nothing is paid back while the clock stands. */
const clock = new VirtualClock();
const server = serverForAll({
  clock,
  settings: { productCommandsPerMinute: '3', clientCommandsPerMinute: '60' },
  writeLimits: { logins: { burst: 2, perSecond: 0.5 } },
});
let gate: TestProduct;
let token: string;
beforeAll(async () => {
  ({ gate, token } = await linkNewGate(server));
});

const limitsIn = ({ headers }: Answer): (string | null)[] => [
  headers.get('ratelimit-policy'),
  headers.get('ratelimit'),
];
const POLICY = '"product";q=3;w=60, "client";q=60;w=60';

test('each answer to a command tells what the client has left, also the one beyond it', async () => {
  const set = () => v1(server.url).set(gate.productLogin, 0, 1, { token });
  expect(limitsIn(await set())).toEqual([POLICY, '"product";r=2;t=20, "client";r=59;t=1']);
  expect(limitsIn(await set())).toEqual([POLICY, '"product";r=1;t=40, "client";r=58;t=2']);
  expect(limitsIn(await set())).toEqual([POLICY, '"product";r=0;t=20, "client";r=57;t=3']);
  const refused = await set();
  expect(refused).toMatchObject({ status: 429, json: { error: 'too-many-requests' } });
  expect(refused.headers.get('retry-after')).toBe('20');
  expect(limitsIn(refused)).toEqual([POLICY, '"product";r=0;t=20, "client";r=57;t=3']);
});

test('each page of a list tells what is left of lists', async () => {
  const { burst, perSecond } = LIST_LIMITS;
  const pages = ['products', `products/${gate.productLogin}/commands`, 'commands'];
  for (const [n, path] of pages.entries()) {
    const answer = await call('GET', `${server.url}/api/v1/${path}`, undefined, { token });
    const left = `"lists";r=${burst - 1 - n};t=1`;
    expect([answer.status, ...limitsIn(answer)]).toEqual([200, `"lists";q=${burst};w=${burst / perSecond}`, left]);
  }
});

test('a repetition under a key costs nothing, also where it waits for the first', async () => {
  const other = await server.newToken();
  await server.associate(other, gate);
  const set = () => call('PATCH', `${server.url}/api/v1/products/${gate.productLogin}/outputs/0`, { state: 0 }, keyed);
  const keyed = { token: other, headers: { 'idempotency-key': 'one' } };
  await Promise.all([set(), set(), set()]);
  expect(limitsIn(await set())[1]).toBe('"product";r=2;t=20, "client";r=59;t=1');
});

test('one client learns nothing of another', async () => {
  const other = await server.newToken();
  await server.associate(other, gate);
  const answer = await v1(server.url).toggle(gate.productLogin, 0, { token: other });
  expect(limitsIn(answer)[1]).toBe('"product";r=2;t=20, "client";r=59;t=1');
});

test('a 429 for writes and one for failed attempts name their limit', async () => {
  const { clientKey } = await server.newClient();
  const login = (key: string) => call('POST', `${server.url}/api/v1/auth/login`, { clientKey: key });
  for (let n = 0; n < 2; n += 1) expect((await login(clientKey)).status).toBe(200);
  const many = await login(clientKey);
  expect([many.status, ...limitsIn(many)]).toEqual([429, '"logins";q=2;w=4', '"logins";r=0;t=2']);

  for (let n = 0; n < FAILED_ATTEMPTS_PER_MINUTE; n += 1) expect((await login('wrong')).status).toBe(401);
  const wrong = await login('wrong');
  expect(wrong.status).toBe(429);
  const left = `"failed-attempts";r=0;t=${wrong.headers.get('retry-after')}`;
  expect(limitsIn(wrong)).toEqual([`"failed-attempts";q=${FAILED_ATTEMPTS_PER_MINUTE};w=60`, left]);
});

test('legacy has none', async () => {
  const answers = [
    await legacy(server.url).set(gate.productLogin, 0, 1, { token }),
    await legacy(server.url).login('wrong'),
  ];
  expect(answers.map(({ status }) => status)).toEqual([429, 429]);
  for (const answer of answers) expect(limitsIn(answer)).toEqual([null, null]);
});
