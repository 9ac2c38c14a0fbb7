import { beforeAll, describe, expect, test } from '@jest/globals';
import { call, GENERATIONS, type Generation, v1 } from '../support/server/api-client';
import { enrolmentCode } from '../support/server/codes';
import { expectError } from '../support/server/expect-error';
import { linkNewGate } from '../support/server/linked-gate';
import type { ScriptedDevice } from '../support/server/scripted-device';
import { serverForAll } from '../support/server/server-for-all';
import type { TestProduct } from '../support/server/test-server';

/** The rows of design section 5: what the contract leaves open, and how it is decided. */
const server = serverForAll();
let gate: TestProduct;
let token: string;
let device: ScriptedDevice;

beforeAll(async () => {
  ({ gate, token, device } = await linkNewGate(server));
});

describe.each(GENERATIONS.map((make) => [make.name, make] as const))('%s', (_name, make) => {
  let api: Generation;
  beforeAll(() => {
    api = make(server.url);
  });

  describe('check order', () => {
    const bodies = { legacy: '/api/setOutputProduct', v1: '/api/v1/products/gate/outputs/0' };
    const method = { legacy: 'POST', v1: 'PATCH' };

    test('401 bad-token comes before the body is read', async () => {
      const huge = 'x'.repeat(100_000);
      expectError(
        await call(method[make.name as 'v1'], server.url + bodies[make.name as 'v1'], huge),
        401,
        'bad-token',
      );
    });

    test('422 shape comes before 404 product-not-found', async () => {
      expectError(await api.set('nobody', 0, 7, { token }), 422, 'invalid-params');
    });

    test('404 product-not-found comes before 422 numOutput beyond the product', async () => {
      expectError(await api.set('nobody', 99, 1, { token }), 404, 'product-not-found');
    });

    test('403 not associated comes before 422 numOutput beyond the outputs', async () => {
      expectError(await api.set(gate.productLogin, 99, 1, { token: await server.newToken() }), 403, 'user-not-allowed');
    });

    test('403 application not activated comes before 422 numOutput beyond the outputs', async () => {
      const sleeping = await server.newProduct({ activated: false });
      await server.associate(token, sleeping);
      expectError(await api.set(sleeping.productLogin, 99, 1, { token }), 403, 'user-not-allowed');
    });

    test('422 numOutput beyond the outputs comes before the device', async () => {
      expectError(await api.set(gate.productLogin, 4, 1, { token }), 422, 'invalid-params');
    });

    test('403 output not activated, the others of the product work on', async () => {
      await server.storage.setOutputActivated(gate.productLogin, 1, false, Date.now());
      expectError(await api.toggle(gate.productLogin, 1, { token }), 403, 'user-not-allowed');
      expect((await api.toggle(gate.productLogin, 0, { token })).status).toBe(200);
      await server.storage.setOutputActivated(gate.productLogin, 1, true, Date.now());
    });
  });

  describe('activation', () => {
    test('a deactivated client: login 401 client-key-not-found, its tokens 401 bad-token, no refresh', async () => {
      const { clientKey, clientId } = await server.newClient();
      const { accessToken, refreshToken } = (await api.login(clientKey)).json as Record<string, string>;
      await server.storage.setClientActive(clientId, false, Date.now());
      expectError(await api.login(clientKey), 401, 'client-key-not-found');
      expectError(await api.state(gate.productLogin, { token: accessToken ?? '' }), 401, 'bad-token');
      expectError(await api.refresh(refreshToken, clientKey), 401, 'bad-token');
    });

    test('getProductStates needs no activation', async () => {
      const sleeping = await server.newProduct({ activated: false });
      await server.associate(token, sleeping);
      const answer = await api.state(sleeping.productLogin, { token });
      expect(answer).toMatchObject({ status: 200, json: { connected: false, lastSeenAt: null } });
    });
  });

  describe('login', () => {
    test.each([`rgc_${'0'.repeat(16)}_${'0'.repeat(52)}`, 'nonsense', ''])(
      'unknown key %j: 401 client-key-not-found',
      async (clientKey) => {
        const answer = await api.login(clientKey);
        expectError(answer, 401, 'client-key-not-found');
        expect(answer.headers.get('www-authenticate')).toBeNull();
      },
    );

    test.each([undefined, null, 7, {}, ['a']])('clientKey %j: 422 invalid-params', async (clientKey) => {
      expectError(await api.login(clientKey), 422, 'invalid-params');
    });
  });

  describe('addProduct', () => {
    test('a wrong login and a wrong key are the same 404', async () => {
      const wrongKey = await api.addProduct(gate.productLogin, 'WRONG-KEY', { token });
      const wrongLogin = await api.addProduct('nobody', gate.productKey, { token });
      expectError(wrongKey, 404, 'product-not-found');
      expect(wrongLogin.text).toBe(wrongKey.text);
    });

    test('a mistyped key and an enrolment code are wrong keys like any other', async () => {
      for (const key of [gate.productKey.slice(0, -1), `${gate.productKey}0`, enrolmentCode()])
        expectError(await api.addProduct(gate.productLogin, key, { token }), 404, 'product-not-found');
    });

    test('the key is taken in lower case and without hyphens', async () => {
      const key = gate.productKey.toLowerCase().replaceAll('-', '');
      expect((await api.addProduct(gate.productLogin, key, { token })).text).toBe('OK');
    });
  });

  describe('deleteProduct', () => {
    test('unknown product 404, not associated 403', async () => {
      const newcomer = await server.newToken();
      expectError(await api.deleteProduct('nobody', { token }), 404, 'product-not-found');
      expectError(await api.deleteProduct(gate.productLogin, { token: newcomer }), 403, 'user-not-allowed');
    });
  });

  describe('getProductStates', () => {
    test('says what the device reported, when it was received, and what is set on the server', async () => {
      device.states.splice(0, 4, 1, 0, 0, 0);
      device.report();
      await device.roundTrip();
      const product = await server.untilState(gate, token, ({ outputs }) => outputs[0]?.state === 1);
      expect(product).toMatchObject({ productLogin: gate.productLogin, connected: true });
      expect(Date.now() - Date.parse(product.lastSeenAt ?? '')).toBeLessThan(60_000);
      expect(product.outputs).toHaveLength(4);
      expect(product.outputs[0]).toMatchObject({
        numOutput: 0,
        name: 'Output 0',
        mode: 'on-off',
        state: 1,
        activated: true,
        pulseMs: 500,
      });
      expect(product.outputs[2]).toMatchObject({ mode: 'impulse', state: 0, pulseMs: 500 });
      expect(new Date(product.outputs[0]?.observedAt ?? '').toISOString()).toBe(product.outputs[0]?.observedAt);
      const { json } = await api.state(gate.productLogin, { token });
      expect(json).toMatchObject({ outputs: product.outputs.map(({ numOutput, state }) => ({ numOutput, state })) });
    });

    test('the state shows what a confirmation rests on, and what is wrong with the device', async () => {
      const lamp = { numOutput: 0, name: 'Lamp', mode: 'on-off', state: null, pulseMs: 500 };
      const door = { ...lamp, numOutput: 1, confirmedBy: 'write' };
      const fault = 'The relay board is away: /dev/ttyUSB0: it is not there.';
      device.send({ type: 'report', outputs: [lamp, door], faults: [fault] });
      const away = await server.untilState(gate, token, ({ faults }) => faults.length > 0);
      expect(away.faults).toEqual([fault]);
      expect(away.outputs).toMatchObject([
        { state: null, confirmedBy: 'readback' },
        { state: null, confirmedBy: 'write' },
        {},
        {},
      ]);
      device.report();
      await server.untilState(gate, token, ({ faults }) => faults.length === 0);
    });

    test('what was never reported is null', async () => {
      const silent = await server.newProduct();
      await server.associate(token, silent);
      const { json } = await api.state(silent.productLogin, { token });
      const unknown = { name: null, mode: null, state: null, observedAt: null, pulseMs: null, confirmedBy: null };
      expect(json).toMatchObject({
        connected: false,
        lastSeenAt: null,
        outputs: [{ numOutput: 0, ...unknown }, {}, {}, {}],
      });
    });

    test('unknown product 404, not associated 403', async () => {
      expectError(await api.state('nobody', { token }), 404, 'product-not-found');
      expectError(await api.state(gate.productLogin, { token: await server.newToken() }), 403, 'user-not-allowed');
    });
  });

  describe('not linked', () => {
    test('never linked, or lost for longer than 5 s: 504 at once, with a command id whose outcome says so', async () => {
      const away = await server.newProduct();
      await server.associate(token, away);
      await server.untilOfflineCounts();
      const startMs = performance.now();
      const answer = await api.set(away.productLogin, 0, 1, { token });
      expectError(answer, 504, 'device-timeout');
      expect(performance.now() - startMs).toBeLessThan(4_000);
      const commandId = answer.headers.get('command-id') ?? '';
      const status = await call('GET', `${server.url}/api/v1/commands/${commandId}`, undefined, { token });
      expect(status).toMatchObject({
        status: 200,
        json: { commandId, outcome: 'expired', reason: 'not-linked', state: 1 },
      });
    });
  });

  describe('Command-Id', () => {
    test('stands on every answer to a command that acquired the slot, and on no other', async () => {
      device.states.splice(0, 4, 0, 0, 0, 0);
      const executed = await api.set(gate.productLogin, 0, 1, { token });
      const alreadySet = await api.set(gate.productLogin, 0, 1, { token });
      const refused = await api.set(gate.productLogin, 99, 1, { token });
      const ids = [executed, alreadySet, refused].map((answer) => answer.headers.get('command-id'));
      expect(ids).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), expect.stringMatching(/^[0-9a-f-]{36}$/), null]);
    });
  });

  describe('types', () => {
    test.each(['1', true, 1.5, null, [], {}])('state %j: 422, nothing is coerced', async (state) => {
      expectError(await api.set(gate.productLogin, 0, state, { token }), 422, 'invalid-params');
    });

    test('unknown members are ignored, and pollute nothing', async () => {
      const body = `{"state":1,"productLogin":"${gate.productLogin}","numOutput":0,"clientKey":"x","constructor":1,"__proto__":{"polluted":1}}`;
      const answer =
        make.name === 'v1'
          ? await call('PATCH', `${server.url}/api/v1/products/${gate.productLogin}/outputs/0`, body, { token })
          : await call('POST', `${server.url}/api/setOutputProduct`, body, { token });
      expect(answer.status).toBe(200);
      expect(({} as { polluted?: number }).polluted).toBeUndefined();
    });

    test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16le'])(
      'a command as %s: 422, and nothing reaches the device',
      async (type) => {
        device.commands.length = 0;
        const path = make.name === 'v1' ? `v1/products/${gate.productLogin}/outputs/0/toggle` : 'toggleOutputProduct';
        const body = JSON.stringify({ productLogin: gate.productLogin, numOutput: 0 });
        const answer = await call('POST', `${server.url}/api/${path}`, body, {
          token,
          headers: { 'content-type': type },
        });
        expectError(answer, 422, 'invalid-params');
        expect(device.commands).toEqual([]);
      },
    );
  });
});

describe('a command’s outcome', () => {
  const outcomeOf = (commandId: string | null, as: string) =>
    call('GET', `${server.url}/api/v1/commands/${commandId}`, undefined, { token: as });

  test('is shown to the client that gave it', async () => {
    const answer = await v1(server.url).toggle(gate.productLogin, 0, { token });
    const status = await outcomeOf(answer.headers.get('command-id'), token);
    expect(status.json).toMatchObject({
      productLogin: gate.productLogin,
      numOutput: 0,
      action: 'toggle',
      state: null,
      outcome: 'executed',
    });
  });

  test('is not found by another client of the same product, nor by its own after dissociating (I7)', async () => {
    const other = await server.newToken();
    await server.associate(other, gate);
    const answer = await v1(server.url).toggle(gate.productLogin, 0, { token: other });
    const commandId = answer.headers.get('command-id');
    expectError(await outcomeOf(commandId, token), 404, 'not-found');
    expect((await outcomeOf(commandId, other)).status).toBe(200);
    await v1(server.url).deleteProduct(gate.productLogin, { token: other });
    expectError(await outcomeOf(commandId, other), 404, 'not-found');
    expectError(await outcomeOf('no-such-command', token), 404, 'not-found');
  });
});

describe('health', () => {
  test('healthz and readyz', async () => {
    expect(await call('GET', `${server.url}/healthz`)).toMatchObject({ status: 200, json: { status: 'ok' } });
    expect(await call('GET', `${server.url}/readyz`)).toMatchObject({ status: 200, json: { status: 'ready' } });
  });

  test('readyz turns red while the database takes no writes', async () => {
    await server.whileStorageFails(async () => {
      const { json } = await server.untilAnswer('/readyz', 503);
      expect(json).toEqual({
        status: 'not-ready',
        codes: ['database-unwritable'],
        problems: ['the database takes no writes'],
      });
      expect((await call('GET', `${server.url}/healthz`)).status).toBe(200);
    });
  });
});
