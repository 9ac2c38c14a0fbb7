import { beforeAll, describe, expect, test } from '@jest/globals';
import { type CallOptions, legacy, v1 } from '../support/server/api-client';
import { expectError } from '../support/server/expect-error';
import { linkNewGate } from '../support/server/linked-gate';
import type { ScriptedDevice } from '../support/server/scripted-device';
import { serverForAll } from '../support/server/server-for-all';
import type { TestProduct } from '../support/server/test-server';

/** JSON instead of the contract's text, for requests to v1 whose Accept prefers it. */
const server = serverForAll();
let gate: TestProduct;
let token: string;
let device: ScriptedDevice;
beforeAll(async () => {
  ({ gate, token, device } = await linkNewGate(server));
});

const JSON_UTF8 = 'application/json; charset=utf-8';
const asking = (accept: string): CallOptions => ({ token, headers: { accept } });

describe('Accept: application/json', () => {
  test('v1 set and toggle: the status, and the id that Command-Id has too', async () => {
    device.states[0] = 0;
    const api = v1(server.url);
    for (const answer of [
      await api.set(gate.productLogin, 0, 1, asking('application/json')),
      await api.toggle(gate.productLogin, 0, asking('application/json')),
    ]) {
      const commandId = answer.headers.get('command-id');
      expect(commandId).toMatch(/^[0-9a-f-]{36}$/);
      expect(answer).toMatchObject({ status: 200, json: { status: 'OK', commandId } });
      expect(Object.fromEntries(answer.headers)).toMatchObject({ vary: 'Accept', 'content-type': JSON_UTF8 });
    }
  });

  test("v1 already set: the contract's member, and the id", async () => {
    device.states[0] = 1;
    const answer = await v1(server.url).set(gate.productLogin, 0, 1, asking('application/json'));
    expect(answer.json).toEqual({ already_set: true, commandId: answer.headers.get('command-id') });
    expect(answer.headers.get('vary')).toBe('Accept');
  });

  test('v1 association: 201 with the status', async () => {
    const newcomer = await server.newToken();
    const options = { token: newcomer, headers: { accept: 'application/json' } };
    const answer = await v1(server.url).addProduct(gate.productLogin, gate.productKey, options);
    expect(answer).toMatchObject({ status: 201, text: '{"status":"OK"}' });
    expect(Object.fromEntries(answer.headers)).toMatchObject({ vary: 'Accept', 'content-type': JSON_UTF8 });
  });

  test("an error is the contract's", async () => {
    const answer = await v1(server.url).toggle('nobody', 0, asking('application/json'));
    expectError(answer, 404, 'product-not-found');
  });

  test("legacy: the contract's answers, byte for byte", async () => {
    device.states[0] = 0;
    const api = legacy(server.url);
    const answers = [
      await api.addProduct(gate.productLogin, gate.productKey, asking('application/json')),
      await api.set(gate.productLogin, 0, 1, asking('application/json')),
      await api.set(gate.productLogin, 0, 1, asking('application/json')),
      await api.toggle(gate.productLogin, 0, asking('application/json')),
    ];
    expect(answers.map(({ text }) => text)).toEqual(['OK', 'OK', '{"already_set":true}', 'OK']);
    expect(answers.map(({ headers }) => headers.get('vary'))).toEqual([null, null, null, null]);
  });
});

test.each(['application/json, text/plain, */*', '*/*', 'text/plain', 'image/png'])(
  "Accept: %s: the contract's bodies in v1",
  async (accept) => {
    device.states[0] = 0;
    const api = v1(server.url);
    const answers = [
      await api.set(gate.productLogin, 0, 1, asking(accept)),
      await api.set(gate.productLogin, 0, 1, asking(accept)),
      await api.toggle(gate.productLogin, 0, asking(accept)),
      await api.addProduct(gate.productLogin, gate.productKey, asking(accept)),
    ];
    expect(answers.map(({ text }) => text)).toEqual(['OK', '{"already_set":true}', 'OK', 'OK']);
    expect(answers.map(({ headers }) => headers.get('vary'))).toEqual(Array(4).fill('Accept'));
  },
);
