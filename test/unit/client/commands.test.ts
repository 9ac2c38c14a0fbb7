import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Output } from '@relaygate/client';
import { json, OK, REPLAYED, refused, ScriptedApi } from '../../support/client/scripted-api';

let api: ScriptedApi;
let gate: Output;
beforeEach(() => {
  api = new ScriptedApi();
  gate = api.client().product('gate 1').output(2);
});

describe('a command', () => {
  test.each([
    ['the text OK', OK, { outcome: 'done', commandId: 'c1', replayed: false }],
    ['JSON', json(200, { status: 'OK', commandId: 'c2' }), { outcome: 'done', commandId: 'c2', replayed: false }],
    [
      'already set, of a server that has no commandId in it',
      json(200, { already_set: true }, { 'command-id': 'c3' }),
      { outcome: 'already-set', commandId: 'c3', replayed: false },
    ],
    ['a repetition', REPLAYED, { outcome: 'done', commandId: 'c1', replayed: true }],
    ['no Command-Id', { status: 200, text: 'OK' }, { outcome: 'done', commandId: undefined, replayed: false }],
  ])('is told as the server says: %s', async (_what, reply, result) => {
    api.reply = () => reply;
    expect(await api.end(gate.set(1))).toEqual(result);
  });

  test('is asked as v1 has it, with the token and in JSON', async () => {
    await api.end(gate.set(0));
    await api.end(gate.toggle());
    const [set, toggle] = api.requests;
    const headers = { Accept: 'application/json', Authorization: 'Bearer a1' };
    expect(set).toMatchObject({ method: 'PATCH', path: 'products/gate%201/outputs/2', headers, body: { state: 0 } });
    expect(toggle).toMatchObject({ method: 'POST', path: 'products/gate%201/outputs/2/toggle', headers });
  });

  test('has a key of its own, or the one that it is given', async () => {
    for (const options of [{}, {}, { idempotencyKey: 'my key' }]) await api.end(gate.toggle(options));
    const [one = '', other = '', given] = api.requests.map(({ headers }) => headers['Idempotency-Key']);
    expect([one, other].every((key) => key.length >= 32)).toBe(true);
    expect(one).not.toBe(other);
    expect(given).toBe('my key');
  });

  test.each(['', ' a', 'a ', 'a\n', 'é', 'a'.repeat(256)])(
    'does not go out with the key %j',
    async (idempotencyKey) => {
      await expect(gate.toggle({ idempotencyKey })).rejects.toThrow(TypeError);
      expect(api.calls).toEqual([]);
    },
  );

  test.each([
    [400, 'bad-request'],
    [403, 'user-not-allowed'],
    [404, 'product-not-found'],
    [404, 'not-found'],
    [405, 'method-not-allowed'],
    [413, 'payload-too-large'],
    [422, 'invalid-params'],
    [422, 'idempotency-key-reused'],
    [418, 'a-code-of-a-newer-server'],
  ])('that is refused with %i %s is not tried again, and moved nothing', async (status, code) => {
    api.reply = () => refused(status, code);
    const error = await api.error(gate.toggle());
    expect(error).toMatchObject({ name: 'RelaygateError', code, status, mayHaveMoved: false });
    expect(error.message).toBe(`${code} (HTTP status ${status})`);
    expect(api.requests).toHaveLength(1);
  });

  test.each([
    ['a page of a captive portal', { status: 200, text: '<html>Log in</html>' }, true],
    ['JSON of something else', { status: 200, text: 'null' }, true],
    ['a redirect', { status: 302, text: '', headers: { location: 'https://other.example/' } }, false],
    ['a redirect in a page', { status: 0, text: '' }, false],
    ['the 403 of a firewall', { status: 403, text: '<html>No</html>' }, false],
    ['JSON of another service', { status: 404, text: '{"error":{"message":"x"}}' }, false],
  ])('is not tried again after an answer that is none of Relaygate: %s', async (_what, reply, mayHaveMoved) => {
    api.reply = () => reply;
    expect(await api.error(gate.toggle())).toMatchObject({
      code: 'unexpected-answer',
      status: reply.status,
      mayHaveMoved,
    });
    expect(api.requests).toHaveLength(1);
  });
});

describe('a product', () => {
  test('whose login would lead to another path is refused', () => {
    for (const login of ['', '.', '..']) expect(() => api.client().product(login)).toThrow(TypeError);
    expect(api.client().product('...').productLogin).toBe('...');
  });

  test.each([-1, 1.5, 1_000, Number.NaN, '0' as never])('has no output %p', (numOutput) => {
    expect(() => api.client().product('gate').output(numOutput)).toThrow(TypeError);
  });

  test('is associated and dissociated', async () => {
    api.reply = ({ method }) => (method === 'POST' ? { status: 201, text: 'OK' } : { status: 204, text: '' });
    await api.end(api.client().addProduct('gate', 'P1'));
    await api.end(api.client().deleteProduct('gate'));
    const [add, remove] = api.requests;
    expect(add).toMatchObject({ method: 'POST', path: 'products', body: { productLogin: 'gate', productKey: 'P1' } });
    expect(remove).toMatchObject({ method: 'DELETE', path: 'products/gate', body: undefined });
  });

  const EXPIRED = refused(401, 'bad-token');
  test('that a lost try has dissociated is no error, one that never was associated is', async () => {
    api.reply = (_call, nth) => (nth === 0 ? 'lost' : refused(403, 'user-not-allowed'));
    expect(await api.end(api.client().deleteProduct('gate'))).toBeUndefined();
    expect(api.requests).toHaveLength(2);
    api.reply = (_call, nth) => (nth === 2 ? 'lost' : nth === 3 ? EXPIRED : refused(403, 'user-not-allowed'));
    expect(await api.end(api.client().deleteProduct('gate'))).toBeUndefined();
    api.reply = () => refused(403, 'user-not-allowed');
    expect(await api.error(api.client().deleteProduct('gate'))).toMatchObject({ code: 'user-not-allowed' });
  });
});

describe('what is read', () => {
  test('are states, and commands by their id', async () => {
    const outputs = [{ numOutput: 2, state: 1 }];
    api.reply = ({ path }) => json(200, path.startsWith('commands') ? { commandId: 'a/b' } : { outputs });
    expect(await api.end(gate.state())).toEqual({ numOutput: 2, state: 1 });
    expect(await api.end(api.client().product('gate').output(3).state())).toBeUndefined();
    expect(await api.end(api.client().command('a/b'))).toEqual({ commandId: 'a/b' });
    expect(api.requests.map(({ path }) => path)).toEqual([
      'products/gate%201/state',
      'products/gate/state',
      'commands/a%2Fb',
    ]);
  });

  test('are lists, with the query of their options', async () => {
    api.reply = () => json(200, { products: [], commands: [] });
    const client = api.client();
    await api.end(client.products({ connected: true, activated: undefined, limit: 5, signal: undefined }));
    await api.end(client.products());
    await api.end(client.commands({ since: '2026-01-01T00:00:00Z', retryForMs: 5 }));
    await api.end(client.product('gate').commands({ cursor: 'a&b' }));
    expect(api.requests.map(({ path }) => path)).toEqual([
      'products?connected=true&limit=5',
      'products',
      'commands?since=2026-01-01T00%3A00%3A00Z',
      'products/gate/commands?cursor=a%26b',
    ]);
  });

  test('fails if it is no object', async () => {
    api.reply = () => OK;
    expect(await api.error(gate.state())).toMatchObject({ code: 'unexpected-answer', mayHaveMoved: false });
  });
});
