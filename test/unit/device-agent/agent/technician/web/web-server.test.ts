/** What the page's requests are answered, by an agent and a guard in memory. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { MAX_WEB_SESSIONS, WEB_SESSION_IDLE_MS } from '@relaygate/shared';
import { AgentInMemory } from '../../../../../support/device/agent-in-memory';
import { errorWith } from '../../../../../support/device/error-with';
import { PageClient } from '../../../../../support/device/page-client';

const LONG_MS = 8 * 3_600_000;
let device: AgentInMemory;
let pin: string;
let phone: PageClient;
beforeEach(async () => {
  device = new AgentInMemory();
  await device.startGuard();
  await device.startAgent();
  pin = await device.newPin();
  await device.localRequest('web-on', { forMs: LONG_MS, hotspot: false });
  phone = new PageClient(device.web, device.clock);
});
const wrongPin = (): string => (pin === '00000000' ? '00000001' : '00000000');
const refusal = (code: string) => ({ error: expect.objectContaining({ code, message: expect.any(String) }) });

test.each([
  ['a control', 'L\u0007a'],
  ['a line separator', 'L\u2028a'],
  ['a paragraph separator', 'L\u2029a'],
  ['an override of the writing direction', 'L\u202ea'],
  ['an isolate', 'L\u2066a'],
  ['a mark of direction', 'L\u200fa'],
])('a name with %s is refused, which would show another one in the history', async (_what, name) => {
  expect(await phone.logIn(pin, name)).toMatchObject({ status: 422, value: refusal('invalid-params') });
  expect(await phone.logIn(pin, 'Léa\u200d😀')).toMatchObject({ status: 200 });
});

test('nobody says in a request who they are', async () => {
  await phone.logIn(pin, 'Léa');
  await phone.act('pulse', { numOutput: 2, actor: 'relayctl as root' });
  expect(await device.historyEntries({ limit: 1 })).toMatchObject([{ actor: 'page as Léa' }]);
  phone.cookie = null;
  await phone.logIn(pin);
  await phone.act('lock', { numOutput: 0, forMs: 60_000 });
  const { value } = await phone.act('status');
  expect(value).toMatchObject({
    value: { outputs: expect.arrayContaining([expect.objectContaining({ lock: { leftMs: 60_000, by: 'page' } })]) },
  });
});

test.each<[string, object]>([
  ['set', { numOutput: 0, state: 1 }],
  ['pulse', { numOutput: 2 }],
  ['click', { numOutput: 2 }],
])('a tap on %s that the network has held up moves nothing', async (type, wish) => {
  const { value: session } = await phone.logIn(pin);
  expect(session).toMatchObject({ limits: { commandMs: 4_500 } });
  const { value } = (await phone.act('status')).value as { value: { nowMs: number } };
  expect(value.nowMs).toBe(Math.floor(device.clock.nowMs()));
  const notAfterMs = value.nowMs + 4_500;
  await device.passed(4_500);
  expect(await phone.act(type, { ...wish, notAfterMs })).toMatchObject({
    status: 409,
    value: {
      error: {
        code: 'refused',
        message: 'This came too late and was not begun: nothing was moved or changed. Try again.',
      },
    },
  });
  await device.passed(10_000);
  expect(device.board.edges).toEqual([]);
});

test('a tap moves nothing later than it allows, however long the guard has before it', async () => {
  await phone.logIn(pin);
  const notAfterMs = device.clock.nowMs() + 1_000;
  expect(await phone.act('pulse', { numOutput: 2, notAfterMs })).toMatchObject({ status: 200 });
  expect(await phone.act('pulse', { numOutput: 2, notAfterMs: notAfterMs + 100_000 })).toMatchObject({ status: 200 });
});

describe('the PIN', () => {
  test.each(['', '1234567', '123456789', 'abcdefgh', "' or 1=1"])('%p cannot be one, and is no try', async (text) => {
    for (let turn = 0; turn < 6; turn += 1)
      expect(await phone.logIn(text)).toMatchObject({ status: 401, value: refusal('wrong-pin') });
    expect(await phone.logIn(pin)).toMatchObject({ status: 200 });
  });

  test('after five wrong ones waits at the page, and not at the console', async () => {
    for (let turn = 0; turn < 4; turn += 1) {
      const { status, value, headers } = await phone.logIn(wrongPin());
      expect({ status, value }).toMatchObject({ status: 401, value: refusal('wrong-pin') });
      expect(headers).not.toHaveProperty('Retry-After');
    }
    expect(await phone.logIn(wrongPin())).toMatchObject({
      status: 401,
      value: { error: { code: 'wrong-pin', waitS: 60 } },
    });
    const refused = await phone.logIn(pin);
    expect(refused).toMatchObject({ status: 429, value: { error: { code: 'too-many-requests', waitS: 60 } } });
    expect(refused.headers['Retry-After']).toBe('60');
    expect(await device.records?.pin.check(pin, 'console')).toEqual({ ok: true });
    await device.passed(60_000);
    expect(await phone.logIn(pin)).toMatchObject({ status: 200 });
    expect((await device.logged('web')).slice(-6)).toEqual([
      ...Array.from({ length: 5 }, () => 'a wrong PIN was tried from 192.0.2.77'),
      'logged in: page',
    ]);
  });

  test('of a stranger keeps no other address out, and at the limit of all nobody who was let in before', async () => {
    const from = (host: string): PageClient => new PageClient(device.web, device.clock, host);
    await phone.logIn(pin);
    for (let n = 0; n < 59; n += 1) await from(`2001:db8:0:${n >> 2}`).logIn(wrongPin());
    await from('fe80:0:0:0:1:2:3:4').logIn(wrongPin());
    expect(await from('192.0.2.78').logIn(pin)).toMatchObject({ status: 429, value: refusal('too-many-strangers') });
    expect(await phone.act('status')).toMatchObject({ status: 200 });
    phone.cookie = null;
    expect(await phone.logIn(pin)).toMatchObject({ status: 200 });
    const moved = from('192.0.2.79');
    moved.browserCookie = phone.browserCookie;
    expect(await moved.logIn(pin)).toMatchObject({ status: 200 });
    expect(moved.browserCookie).toBe(phone.browserCookie);
    const hosts = ['2001:db8:0:14::/64', 'fe80:0:0:0:1:2:3:4'];
    const tries = hosts.map((host) => `a wrong PIN was tried from ${host}`);
    expect(await device.logged('web')).toEqual(expect.arrayContaining(tries));
  });

  test('a new one ends every session', async () => {
    await phone.logIn(pin);
    const other = await device.newPin();
    expect(await phone.act('status')).toMatchObject({ status: 401, value: refusal('not-logged-in') });
    expect(await phone.logIn(pin)).toMatchObject({ status: 401 });
    expect(await phone.logIn(other)).toMatchObject({ status: 200 });
  });
});

describe('a session', () => {
  test('has a cookie that no script reads and no other site sends', async () => {
    const { headers } = await phone.logIn(pin);
    expect(headers['Set-Cookie']).toEqual([
      expect.stringMatching(/^__Host-relaygate=[A-Za-z0-9_-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict$/),
      expect.stringMatching(
        /^__Host-relaygate-browser=[A-Za-z0-9_-]{43}; Max-Age=34560000; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
      ),
    ]);
  });

  test('goes on after a reload, and ends with the log-out', async () => {
    expect(await phone.send('GET', '/api/session')).toMatchObject({ status: 401, value: refusal('not-logged-in') });
    await phone.logIn(pin, 'Léa');
    const { csrfToken } = phone;
    expect(await phone.send('GET', '/api/session')).toMatchObject({ value: { csrfToken, actor: 'page as Léa' } });
    const out = await phone.send('DELETE', '/api/session', { headers: { 'x-csrf-token': csrfToken } });
    expect(out.headers['Set-Cookie']).toMatch(/^__Host-relaygate=; Max-Age=0; /);
    expect(await phone.act('status')).toMatchObject({ status: 401 });
  });

  test.each<[string, object, boolean]>([
    ['no input', { kind: 'gpio', lines: [26, 20, 21, 16] }, false],
    ['an input', { kind: 'gpio', lines: [26, 20, 21, 16], inputs: [{ line: 24 }] }, true],
    ['no way to read one', { kind: 'lcus', port: '/dev/ttyUSB0', relays: 4 }, false],
    ['any inputs', { kind: 'simulated' }, true],
  ])('says whether the board has inputs: %s', async (_, board, hasInputs) => {
    device.editSettings({ board });
    device.stopAgent();
    await device.startAgent();
    await device.localRequest('web-on', { forMs: LONG_MS, hotspot: false });
    expect(await phone.logIn(pin)).toMatchObject({ value: { hasInputs } });
    expect(await phone.send('GET', '/api/session')).toMatchObject({ value: { hasInputs } });
  });

  test('ends when it is not used, and not while it is', async () => {
    await phone.logIn(pin);
    for (let turn = 0; turn < 3; turn += 1) {
      await device.passed(WEB_SESSION_IDLE_MS - 1);
      expect(await phone.act('status')).toMatchObject({ status: 200 });
    }
    await device.passed(WEB_SESSION_IDLE_MS);
    expect(await phone.act('status')).toMatchObject({ status: 401 });
  });

  test('is one of eight: with one more that which was unused for longest is over', async () => {
    const phones = Array.from({ length: MAX_WEB_SESSIONS }, () => new PageClient(device.web, device.clock));
    for (const one of phones) {
      await one.logIn(pin);
      await device.passed(1);
    }
    expect(await phones[0]?.act('status')).toMatchObject({ status: 200 });
    await phone.logIn(pin);
    const statuses = await Promise.all(phones.map(async (one) => (await one.act('status')).status));
    expect(statuses).toEqual([200, 401, 200, 200, 200, 200, 200, 200]);
    expect(await phone.act('status')).toMatchObject({ status: 200 });
  });

  test('is over when the page goes off and on', async () => {
    await phone.logIn(pin);
    await device.localRequest('web-off', {});
    await expect(phone.act('status')).rejects.toThrow('connection refused');
    await device.localRequest('web-on', { forMs: LONG_MS, hotspot: false });
    expect(await phone.act('status')).toMatchObject({ status: 401 });
  });

  test('is not guessed: no cookie, another one, and one of another name', async () => {
    await phone.logIn(pin);
    const { cookie } = phone;
    for (const wrong of [
      null,
      '__Host-relaygate=',
      `__Host-relaygate=${'A'.repeat(43)}`,
      `relaygate=${cookie?.split('=')[1]}`,
    ]) {
      phone.cookie = wrong;
      expect(await phone.act('status')).toMatchObject({ status: 401, value: refusal('not-logged-in') });
    }
  });
});

describe('a request that is not the page’s own is refused, and moves nothing', () => {
  beforeEach(async () => void (await phone.logIn(pin)));
  const pulse = { numOutput: 2 };

  test.each([
    ['without its CSRF token', { 'x-csrf-token': '' }],
    ['with another CSRF token', { 'x-csrf-token': 'A'.repeat(43) }],
    ['of another site', { origin: 'https://evil.example' }],
    ['of another port’s plain page', { origin: 'http://192.0.2.7' }],
    ['of a sandboxed page', { origin: 'null' }],
    ['of a name that only begins like the device', { origin: 'https://gate-pi.evil.example' }],
  ])('%s', async (_what, headers) => {
    expect(await phone.act('pulse', pulse, headers)).toMatchObject({ status: 403, value: refusal('foreign-request') });
    expect(device.board.edges).toEqual([]);
  });

  test.each(['https://192.0.2.7:8443', 'https://localhost:8443', 'https://gate-pi.local:8443', 'https://GATE-PI'])(
    'but not that of %s',
    async (origin) => {
      expect(await phone.act('pulse', pulse, { origin })).toMatchObject({ status: 200 });
    },
  );

  test('a log-in from another site too', async () => {
    const said = await phone.send('POST', '/api/session', {
      headers: { origin: 'https://evil.example' },
      body: { pin },
    });
    expect(said).toMatchObject({ status: 403, value: refusal('foreign-request') });
    expect(said.headers).not.toHaveProperty('Set-Cookie');
  });
});

describe('what cannot be understood', () => {
  beforeEach(async () => void (await phone.logIn(pin)));

  test.each([
    ['too large', null, 413, 'payload-too-large'],
    ['no JSON', Buffer.from('{'), 422, 'invalid-params'],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 422, 'invalid-params'],
    ['a list', Buffer.from('[]'), 422, 'invalid-params'],
    ['null', Buffer.from('null'), 422, 'invalid-params'],
    ['another thing', { numOutput: '2' }, 422, 'bad-usage'],
    ['no deadline', { numOutput: 2 }, 422, 'bad-usage'],
    ['an output that is not there', { numOutput: 9, notAfterMs: 1e12 }, 404, 'output-not-found'],
    ['an on-off output', { numOutput: 0, notAfterMs: 1e12 }, 409, 'refused'],
  ])('%s', async (_what, body, status, code) => {
    const headers = { 'x-csrf-token': phone.csrfToken, 'content-type': 'application/json' };
    expect(await phone.send('POST', '/api/actions/pulse', { headers, body })).toMatchObject({
      status,
      value: refusal(code),
    });
    expect(device.board.edges).toEqual([]);
  });

  test('a form, which any site could send', async () => {
    const headers = { 'content-type': 'text/plain' };
    expect(await phone.act('pulse', { numOutput: 2 }, headers)).toMatchObject({
      status: 422,
      value: refusal('invalid-params'),
    });
  });

  test('__proto__ changes nothing', async () => {
    const headers = { 'x-csrf-token': phone.csrfToken, 'content-type': 'application/json' };
    const body = Buffer.from('{"__proto__":{"actor":"x","numOutput":2},"numOutput":2,"notAfterMs":1e12}');
    expect(await phone.send('POST', '/api/actions/pulse', { headers, body })).toMatchObject({ status: 200 });
    expect(({} as Record<string, unknown>).numOutput).toBeUndefined();
    expect(await device.historyEntries({ limit: 1 })).toMatchObject([{ actor: 'page' }]);
  });

  test('a value out of its range is refused in relayctl’s words', async () => {
    const said = await phone.act('output', { numOutput: 2, change: { pulseMs: 7 }, force: false });
    expect(said).toMatchObject({
      status: 422,
      value: { error: errorWith('out-of-range', /^pulse-ms is .*50 to 3600000, not 7/) },
    });
  });

  test('a guard that is away is told as such', async () => {
    device.killGuard();
    await device.passed(1);
    expect(await phone.act('pulse', { numOutput: 2 })).toMatchObject({
      status: 503,
      value: refusal('guard-unreachable'),
    });
  });
});

test.each(['new-pin', 'board', 'factory-reset', 'web-on', 'web-off', 'nothing'])(
  '"%s" is not the page’s to ask',
  async (type) => {
    await phone.logIn(pin);
    expect(await phone.act(type, { productLogin: 'test-product' })).toMatchObject({
      status: 404,
      value: refusal('not-found'),
    });
  },
);

test('what else is asked is 404 or 405 in JSON, and every answer forbids what the page does not need', async () => {
  for (const [method, path, status] of [
    ['GET', '/', 200],
    ['HEAD', '/', 200],
    ['POST', '/', 405],
    ['GET', '/../identity.json', 404],
    ['GET', '/api/actions/status', 405],
    ['PUT', '/api/session', 405],
    ['OPTIONS', '/api/session', 405],
    ['GET', '/api', 404],
    ['GET', `/${'a'.repeat(4_000)}`, 404],
  ] as const) {
    const said = await phone.send(method, path);
    expect([method, path, said.status]).toEqual([method, path, status]);
    expect(said.headers['Content-Security-Policy']).toMatch(
      /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'$/,
    );
    expect(said.headers).toMatchObject({ 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' });
    if (status >= 400)
      expect(said).toMatchObject({
        headers: { 'Cache-Control': 'no-store' },
        value: { error: { code: expect.any(String) } },
      });
    if (status === 405) expect(said.headers).toHaveProperty('Allow');
  }
  expect(await phone.send('GET', '/', { headers: { 'if-none-match': '"1"' } })).toMatchObject({
    status: 304,
    value: '',
  });
});

test('a fault of ours is told to the log and not to the browser', async () => {
  await phone.logIn(pin);
  expect(await phone.act('doctor')).toMatchObject({ status: 500, value: { error: { code: 'unknown' } } });
  expect(JSON.stringify((await phone.act('doctor')).value)).not.toContain('no doctor');
});

test('no PIN, token or passphrase is told anywhere', async () => {
  await phone.logIn(pin, 'Léa');
  await device.localRequest('web-on', { forMs: LONG_MS, hotspot: true });
  const told = JSON.stringify([
    await device.localRequest('log', { limit: 500, waitMs: 0 }),
    await device.historyEntries({ limit: 100 }),
    await device.status(),
    await device.localRequest('web-status', {}),
    await device.localRequest('identity', {}),
  ]);
  const cookies = [phone.cookie, phone.browserCookie].map((cookie) => cookie?.split('=')[1] ?? '');
  const secrets = [pin, phone.csrfToken, ...cookies, device.web.hotspot?.passphrase ?? ''];
  for (const secret of secrets) {
    expect(secret).not.toBe('');
    expect(told).not.toContain(secret);
  }
});
