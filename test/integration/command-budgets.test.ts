import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, GENERATIONS, type Generation } from '../support/server/api-client';
import { recordsIn } from '../support/server/audit-records';
import { expectError } from '../support/server/expect-error';
import { linkNewGate } from '../support/server/linked-gate';
import { serverForAll } from '../support/server/server-for-all';
import type { TestProduct } from '../support/server/test-server';
import { VirtualClock } from '../support/time/virtual-clock';

const PER_PRODUCT = 4;
const PER_CLIENT = 6;
/** Paid back by then, at the latest. */
const RETRY_MAX_SECONDS = 60 / PER_PRODUCT;

const server = serverForAll({
  // Nothing is paid back while it stands still, however slow the machine is.
  clock: new VirtualClock(),
  settings: { productCommandsPerMinute: `${PER_PRODUCT}`, clientCommandsPerMinute: `${PER_CLIENT}` },
});

const records = async () => (await recordsIn(server.storage)).length;

function expectToWait(answer: Answer): void {
  expectError(answer, 429, 'too-many-requests');
  expect(answer.text).toBe('{"error":"too-many-requests"}');
  expect(answer.headers.get('command-id')).toBeNull();
  const seconds = Number(answer.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(RETRY_MAX_SECONDS);
}

describe.each(GENERATIONS.map((make) => [make.name, make] as const))('commands of a client, %s', (_name, make) => {
  let api: Generation;
  let token: string;
  let gates: TestProduct[];
  beforeAll(async () => {
    api = make(server.url);
    token = await server.newToken();
    gates = await Promise.all([server.newProduct(), server.newProduct()]);
    for (const gate of gates) await server.associate(token, gate);
  });

  test('beyond the budget: 429 with Retry-After before the slot is acquired, nothing is sent and nothing written', async () => {
    const [gate, other] = gates as [TestProduct, TestProduct];
    const { productLogin } = gate;
    const device = await server.linkDevice(gate);
    const otherDevice = await server.linkDevice(other);
    for (let n = 0; n < PER_PRODUCT / 2; n += 1) {
      expect((await api.toggle(productLogin, 0, { token })).text).toBe('OK');
      expect((await api.set(productLogin, 1, n === 0 ? 1 : 0, { token })).text).toBe('OK');
    }
    await server.storage.probe();
    const [recorded, sent] = [await records(), device.commands.length];
    expectToWait(await api.toggle(productLogin, 0, { token }));
    expectToWait(await api.set(productLogin, 0, 1, { token }));
    expect([await records(), device.commands.length]).toEqual([recorded, sent]);

    // 409 would say that somebody holds the slot.
    const another = await server.newToken();
    await server.associate(another, gate);
    expect((await api.toggle(productLogin, 0, { token: another })).text).toBe('OK');

    for (let n = PER_PRODUCT; n < PER_CLIENT; n += 1)
      expect((await api.toggle(other.productLogin, 0, { token })).text).toBe('OK');
    expectToWait(await api.toggle(other.productLogin, 0, { token }));
    expect(otherDevice.commands.length).toBe(PER_CLIENT - PER_PRODUCT);
    expect((await api.state(productLogin, { token })).status).toBe(200);
  });

  test('401, 403, 404 and 422 win over 429', async () => {
    const [{ productLogin }] = gates as [TestProduct];
    expectError(await api.toggle(productLogin, 0, { token: 'wrong' }), 401, 'bad-token');
    expectError(await api.toggle((await server.newProduct()).productLogin, 0, { token }), 403, 'user-not-allowed');
    expectError(await api.toggle('nobody', 0, { token }), 404, 'product-not-found');
    expectError(await api.toggle(productLogin, 99, { token }), 422, 'invalid-params');
    expectToWait(await api.toggle(productLogin, 0, { token }));
  });

  test('a failing database costs nobody the budget', async () => {
    const { gate, token: mine } = await linkNewGate(server);
    await server.whileStorageFails(async () => {
      for (let n = 0; n < 2 * PER_CLIENT; n += 1)
        expectError(await api.toggle(gate.productLogin, 0, { token: mine }), 500, 'unknown');
    }, 'recordCommand');
    for (let n = 0; n < PER_PRODUCT; n += 1)
      expect((await api.toggle(gate.productLogin, 0, { token: mine })).text).toBe('OK');
    expectToWait(await api.toggle(gate.productLogin, 0, { token: mine }));
  });
});
