/** What hundreds of phones do with one client key: each session stands for itself, and every token works everywhere. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { TokenPair } from '@relaygate/shared';
import { GENERATIONS } from '../support/server/api-client';
import { RawHttp } from '../support/server/raw-http';
import type { ScriptedDevice } from '../support/server/scripted-device';
import { serverForAll } from '../support/server/server-for-all';
import type { TestProduct } from '../support/server/test-server';

const APPS = 8;

const server = serverForAll();
let gate: TestProduct;
let clientKey: string;
let device: ScriptedDevice;
beforeAll(async () => {
  ({ clientKey } = await server.newClient());
});

describe.each(GENERATIONS.map((make) => [make.name, make] as const))('%s', (name, make) => {
  let pairs: TokenPair[];
  beforeAll(async () => {
    const api = make(server.url);
    gate = await server.newProduct();
    pairs = await Promise.all(Array.from({ length: APPS }, async () => (await api.login(clientKey)).json as TokenPair));
    await server.associate(pairs[0]?.accessToken ?? '', gate);
    device = await server.linkDevice(gate);
  });

  test('each app with the one key has tokens of its own', () => {
    for (const member of ['accessToken', 'refreshToken'] as const)
      expect(new Set(pairs.map((pair) => pair[member])).size).toBe(APPS);
  });

  test('what one app has associated, all others of the key move, one after the other', async () => {
    const api = make(server.url);
    for (const { accessToken: token } of pairs) {
      const before = device.commands.length;
      expect((await api.toggle(gate.productLogin, 0, { token })).status).toBe(200);
      expect(device.commands).toHaveLength(before + 1);
    }
  });

  test('a refresh of one app ends no session of another, nor its own access token', async () => {
    const api = make(server.url);
    const [first, ...others] = pairs;
    const answer = await api.refresh(first?.refreshToken, clientKey);
    expect(answer.status).toBe(200);
    const { accessToken } = answer.json as TokenPair;
    for (const token of [accessToken, ...pairs.map((pair) => pair.accessToken)])
      expect((await api.state(gate.productLogin, { token })).status).toBe(200);
    for (const { refreshToken } of others) expect((await api.refresh(refreshToken, clientKey)).status).toBe(200);
  });

  test('one access token is good on several connections at once, each held open', async () => {
    const token = pairs[1]?.accessToken ?? '';
    const body = JSON.stringify({ productLogin: gate.productLogin });
    const [method, path, sent] =
      name === 'legacy'
        ? ['POST', '/api/getProductStates', body]
        : ['GET', `/api/v1/products/${gate.productLogin}/state`, ''];
    const connections = Array.from({ length: APPS }, () => new RawHttp(server.url));
    for (const turn of [1, 2]) {
      for (const connection of connections)
        connection.send(
          `${method} ${path} HTTP/1.1`,
          'Host: gate',
          `Authorization: Bearer ${token}`,
          'Content-Type: application/json',
          `Content-Length: ${sent.length}`,
          '',
          sent,
        );
      const answered = new RegExp(`(HTTP/1\\.1 200 .*?"connected":true.*?){${turn}}`, 's');
      await Promise.all(connections.map((connection) => connection.match(answered)));
    }
    for (const { socket } of connections) socket.destroy();
  });

  test('several apps at once are each answered: one moves the output, the others get 409', async () => {
    const api = make(server.url);
    const before = device.commands.length;
    const answers = await Promise.all(
      pairs.map(({ accessToken: token }) => api.toggle(gate.productLogin, 0, { token })),
    );
    const moved = answers.filter(({ status }) => status === 200).length;
    expect(moved).toBeGreaterThanOrEqual(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(APPS - moved);
    expect(device.commands).toHaveLength(before + moved);
  });
});
