import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, GENERATIONS, type Generation } from '../support/server/api-client';
import { expectError } from '../support/server/expect-error';
import { linkNewGate } from '../support/server/linked-gate';
import type { ScriptedDevice } from '../support/server/scripted-device';
import { serverForAll } from '../support/server/server-for-all';
import type { TestProduct } from '../support/server/test-server';
import { repeat } from '../support/time/excuse';
import { expectDeadline, timed } from '../support/time/timed';

/**
 * The tables of the contract (shared spec, sections 3, 4, 5, 7, 8, 9), a test per row, legacy and v1 through the same
 * table. Rows that belong to one generation only say so.
 */
const server = serverForAll();
let token: string;
let gate: TestProduct;
let device: ScriptedDevice;

beforeAll(async () => {
  ({ gate, token, device } = await linkNewGate(server));
});

const ON_OFF = 0;
const IMPULSE = 2;

/** Sets the device's outputs as a row wants to find them. */
function given(states: (0 | 1)[] = [0, 0, 0, 0]): void {
  device.states.splice(0, 4, ...states);
  device.commands.length = 0;
  device.react = (command, self) => self.obey(command);
}

function expectOk(answer: Answer): void {
  expect(answer).toMatchObject({ status: 200, text: 'OK' });
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
}

describe.each(GENERATIONS.map((make) => [make.name, make] as const))('%s', (_name, make) => {
  let api: Generation;
  beforeAll(() => {
    api = make(server.url);
  });

  describe('section 3: states and transitions', () => {
    test('activated, toggle operation: deactivated, 200 with body OK', async () => {
      given([1, 0, 0, 0]);
      expectOk(await api.toggle(gate.productLogin, ON_OFF, { token }));
      expect(device.states[ON_OFF]).toBe(0);
    });

    test('deactivated, toggle operation: activated, 200 with body OK', async () => {
      given();
      expectOk(await api.toggle(gate.productLogin, ON_OFF, { token }));
      expect(device.states[ON_OFF]).toBe(1);
    });

    test.each([
      [0, 1],
      [1, 0],
    ] as const)(
      'on-off state %i, set operation with the other state %i: the desired state, 200 with body OK',
      async (from, to) => {
        given([from, 0, 0, 0]);
        expectOk(await api.set(gate.productLogin, ON_OFF, to, { token }));
        expect(device.states[ON_OFF]).toBe(to);
      },
    );

    test.each([0, 1] as const)(
      'on-off state %i, set operation with the same state: unchanged, 200 already_set',
      async (state) => {
        given([state, 0, 0, 0]);
        const answer = await api.set(gate.productLogin, ON_OFF, state, { token });
        expect(answer).toMatchObject({ status: 200, json: { already_set: true } });
        expect(device.states[ON_OFF]).toBe(state);
      },
    );

    test('impulse output, set operation with state 1: pulse, 200', async () => {
      given();
      expectOk(await api.set(gate.productLogin, IMPULSE, 1, { token }));
      expect(device.commands).toMatchObject([{ numOutput: IMPULSE, action: 'set', state: 1 }]);
    });

    test('impulse output, set operation with state 0: nothing happens, 200', async () => {
      given();
      expectOk(await api.set(gate.productLogin, IMPULSE, 0, { token }));
    });
  });

  describe.each([
    ['set', (call: Call) => api.set(call.login ?? gate.productLogin, call.numOutput ?? ON_OFF, 1, call)],
    ['toggle', (call: Call) => api.toggle(call.login ?? gate.productLogin, call.numOutput ?? ON_OFF, call)],
  ] as [string, (call: Call) => Promise<Answer>][])('sections 4 and 7: %s', (_operation, drive) => {
    test('200 the plain text OK: the action was performed', async () => {
      given();
      expectOk(await drive({ token }));
    });

    test('401 bad-token: access token invalid', async () => {
      const answer = await drive({ token: 'nonsense' });
      expectError(answer, 401, 'bad-token');
      expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    });

    test('401 bad-token: access token expired', async () => {
      expectError(await drive({ token: server.expiredToken() }), 401, 'bad-token');
    });

    test('401 bad-token: no access token', async () => {
      expectError(await drive({}), 401, 'bad-token');
    });

    test('403 user-not-allowed: client key not authorized to control the output', async () => {
      expectError(await drive({ token: await server.newToken() }), 403, 'user-not-allowed');
    });

    test('404 product-not-found: productLogin unknown', async () => {
      expectError(await drive({ token, login: 'nobody' }), 404, 'product-not-found');
    });

    test('409 request-already-pending: another request is in progress', async () => {
      given();
      device.react = () => {};
      const first = drive({ token });
      const command = await device.commanded();
      expectError(await drive({ token }), 409, 'request-already-pending');
      device.obey(command);
      expectOk(await first);
    });

    test('422 invalid-params: invalid incoming parameters', async () => {
      expectError(await drive({ token, numOutput: -1 }), 422, 'invalid-params');
    });

    test('500 unknown: unexpected server error, and nothing has reached the device', async () => {
      given();
      await server.whileStorageFails(async () => expectError(await drive({ token }), 500, 'unknown'));
      expect(device.commands).toEqual([]);
    });

    test.each<[string, Parameters<ScriptedDevice['send']>[0]]>([
      ['refuses', { outcome: 'refused', reason: 'board-failed' }],
      ['finds the command too late', { outcome: 'expired' }],
    ])('504 device-timeout at once: the product %s', async (_what, result) => {
      given();
      device.react = ({ commandId }, self) => self.send({ type: 'result', commandId, ...(result as object) });
      const startMs = performance.now();
      expectError(await drive({ token }), 504, 'device-timeout');
      expect(performance.now() - startMs).toBeLessThan(4_000);
    });
  });

  describe('section 5: authentication', () => {
    test('tokens of this generation are good on both', async () => {
      const { clientKey } = await server.newClient();
      const { accessToken } = (await api.login(clientKey)).json as { accessToken: string };
      for (const other of GENERATIONS) {
        expectError(
          await other(server.url).set(gate.productLogin, ON_OFF, 1, { token: accessToken }),
          403,
          'user-not-allowed',
        );
      }
    });

    test('the remedy of 403 is to associate the product', async () => {
      given();
      const newcomer = await server.newToken();
      expectError(await api.toggle(gate.productLogin, ON_OFF, { token: newcomer }), 403, 'user-not-allowed');
      expect((await api.addProduct(gate.productLogin, gate.productKey, { token: newcomer })).text).toBe('OK');
      expectOk(await api.toggle(gate.productLogin, ON_OFF, { token: newcomer }));
    });
  });

  describe('section 8: limits', () => {
    test('wait for product confirmation: 5 seconds, then 504 device-timeout; set and toggle', () =>
      repeat(async () => {
        const products = [await server.newProduct(), await server.newProduct()] as const;
        for (const product of products) {
          await server.associate(token, product);
          (await server.linkDevice(product)).react = () => {};
        }
        const answers = await Promise.all([
          timed(api.set(products[0].productLogin, ON_OFF, 1, { token })),
          timed(api.toggle(products[1].productLogin, ON_OFF, { token })),
        ]);
        for (const { answer, ...times } of answers) {
          expectDeadline(times);
          expectError(answer, 504, 'device-timeout');
          expect(answer.headers.get('command-id')).toMatch(/^[0-9a-f-]{36}$/);
        }
      }));

    test('concurrent requests: rejected until processing ends, whichever operation they are', async () => {
      given();
      device.react = () => {};
      const first = api.set(gate.productLogin, ON_OFF, 1, { token });
      const command = await device.commanded();
      const others = [
        await api.toggle(gate.productLogin, ON_OFF, { token }),
        await api.set(gate.productLogin, IMPULSE, 1, { token }),
      ];
      for (const answer of others) {
        expectError(answer, 409, 'request-already-pending');
        if (make.name === 'legacy') expect(answer.headers.get('deprecation')).toMatch(/^@/);
      }
      device.react = (next, self) => self.obey(next);
      device.obey(command);
      expectOk(await first);
      expectOk(await api.toggle(gate.productLogin, ON_OFF, { token }));
    });

    test('first output index is 0', async () => {
      given();
      expectOk(await api.set(gate.productLogin, 0, 1, { token }));
      expect(device.commands).toMatchObject([{ numOutput: 0 }]);
    });

    test.each([2, -1, 0.5, '1', true, null])('allowed state values are 0 or 1: %j is refused', async (state) => {
      expectError(await api.set(gate.productLogin, ON_OFF, state, { token }), 422, 'invalid-params');
    });
  });

  describe('section 9: versioning', () => {
    test(`associating answers ${make.name === 'v1' ? 201 : 200}, again is the same success`, async () => {
      const newcomer = await server.newToken();
      for (let times = 0; times < 2; times += 1) {
        const answer = await api.addProduct(gate.productLogin, gate.productKey, { token: newcomer });
        expect(answer).toMatchObject({ status: make.name === 'v1' ? 201 : 200, text: 'OK' });
      }
    });

    test(`dissociating answers ${make.name === 'v1' ? '204 without body' : '200 OK'}`, async () => {
      const newcomer = await server.newToken();
      await server.associate(newcomer, gate);
      const answer = await api.deleteProduct(gate.productLogin, { token: newcomer });
      expect(answer).toMatchObject(make.name === 'v1' ? { status: 204, text: '' } : { status: 200, text: 'OK' });
      expectError(await api.toggle(gate.productLogin, ON_OFF, { token: newcomer }), 403, 'user-not-allowed');
    });

    test(`login answers ${make.name === 'v1' ? 'tokens, tokenType and expiresIn' : 'tokens'}`, async () => {
      const { clientKey } = await server.newClient();
      const answer = await api.login(clientKey);
      const tokens = { accessToken: expect.any(String), refreshToken: expect.any(String) };
      expect(answer.status).toBe(200);
      expect(answer.json).toEqual(make.name === 'v1' ? { ...tokens, tokenType: 'Bearer', expiresIn: 600 } : tokens);
    });

    test(`refresh needs ${make.name === 'v1' ? 'only the refresh token' : 'the client key besides'}`, async () => {
      const { clientKey } = await server.newClient();
      const { refreshToken } = (await api.login(clientKey)).json as { refreshToken: string };
      if (make.name === 'legacy') expectError(await api.refresh(refreshToken), 422, 'invalid-params');
      const answer = await api.refresh(refreshToken, clientKey);
      const tokens = { accessToken: expect.any(String), refreshToken: expect.any(String) };
      expect(answer.status).toBe(200);
      expect(answer.json).toEqual(make.name === 'v1' ? { ...tokens, tokenType: 'Bearer', expiresIn: 600 } : tokens);
    });

    test('getProductStates has its successor in GET state', async () => {
      const answer = await api.state(gate.productLogin, { token });
      expect(answer).toMatchObject({ status: 200, json: { productLogin: gate.productLogin, connected: true } });
    });
  });
});

interface Call {
  token?: string;
  login?: string;
  numOutput?: number;
}
