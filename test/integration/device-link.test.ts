import { generateKeyPairSync, sign } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { v1 } from '../support/server/api-client';
import { linkNewGate } from '../support/server/linked-gate';
import { newIdentity, ScriptedDevice, type ScriptedDeviceOptions } from '../support/server/scripted-device';
import { serverForAll } from '../support/server/server-for-all';
import { startTestServer, type TestProduct } from '../support/server/test-server';
import { repeat } from '../support/time/excuse';
import { expectWithin, timed } from '../support/time/timed';

const server = serverForAll();

const dial = (identity: ReturnType<typeof newIdentity>, options?: ScriptedDeviceOptions) =>
  new ScriptedDevice(server.url, identity, options);

async function refused(device: ScriptedDevice): Promise<number> {
  await device.opened();
  device.hello();
  return device.closing();
}

describe('enrolment', () => {
  let gate: TestProduct;
  beforeAll(async () => {
    gate = await server.newProduct();
  });

  test('a key without a code is refused, like an unknown product and a wrong code', async () => {
    expect(await refused(dial(newIdentity(gate.productLogin)))).toBe(4401);
    expect(await refused(dial(newIdentity('nobody', gate.enrolmentCode)))).toBe(4401);
    expect(await refused(dial(newIdentity(gate.productLogin, 'WRONG')))).toBe(4401);
  });

  test('the code pins the key; the same code with the same key again succeeds, with another key it does not', async () => {
    const identity = newIdentity(gate.productLogin, gate.enrolmentCode);
    await dial(identity).welcomed();
    await dial(identity).welcomed();
    const { enrolmentCode: _, ...enrolled } = identity;
    await dial(enrolled).welcomed();
    expect(await refused(dial(newIdentity(gate.productLogin, gate.enrolmentCode)))).toBe(4401);
  });
});

describe('the signed challenge', () => {
  test.each<[string, ScriptedDeviceOptions]>([
    ['another server’s name', { serverName: 'elsewhere' }],
    [
      'another key',
      {
        sign: (text) => sign(null, Buffer.from(text), generateKeyPairSync('ed25519').privateKey).toString('base64url'),
      },
    ],
    ['another text', { sign: (text, key) => sign(null, Buffer.from(`${text} `), key).toString('base64url') }],
    ['nothing but zeros', { sign: () => 'A'.repeat(86) }],
  ])('signed with %s is refused', async (_what, options) => {
    const gate = await server.newProduct();
    expect(await refused(dial(newIdentity(gate.productLogin, gate.enrolmentCode), options))).toBe(4401);
    await dial(newIdentity(gate.productLogin, gate.enrolmentCode)).welcomed();
  });

  test('an old exchange cannot be replayed: each challenge is another', async () => {
    const gate = await server.newProduct();
    const [a, b] = [dial(newIdentity(gate.productLogin)), dial(newIdentity(gate.productLogin))];
    await Promise.all([a, b].map(refused));
    const nonces = [a, b]
      .flatMap((device) => device.received)
      .map((message) => (message.type === 'challenge' ? message.serverNonce : ''));
    expect(new Set(nonces).size).toBe(2);
  });
});

describe('the order of messages', () => {
  const command = { type: 'result', commandId: 'x', outcome: 'executed' };
  test.each([
    ['no JSON', 'hello'],
    ['no type', '{}'],
    ['a hello with a broken key', '{"type":"hello","productLogin":"x","publicKey":"short"}'],
    ['a proof before hello', JSON.stringify({ type: 'proof', signature: 'A'.repeat(86) })],
    ['a result before the welcome', JSON.stringify(command)],
    ['a time before the welcome', '{"type":"time","seq":1}'],
  ])('%s closes the link', async (_what, frame) => {
    const device = dial(newIdentity('nobody'));
    await device.opened();
    device.send(frame);
    expect(await device.closing()).toBe(4400);
  });

  test('unknown types and members are ignored', async () => {
    const gate = await server.newProduct();
    const device = dial(newIdentity(gate.productLogin, gate.enrolmentCode));
    await device.welcomed();
    device.send({ type: 'weather', sunny: true });
    device.send({ type: 'report', outputs: [], faults: [], mood: 'fine' });
    await device.linkUpFromHere();
    expect(device.closed).toBeUndefined();
  });

  test('I14: no resume report is taken before a time exchange', async () => {
    const gate = await server.newProduct();
    const device = dial(newIdentity(gate.productLogin, gate.enrolmentCode));
    await device.opened();
    device.hello();
    await device.welcomeHeard();
    device.resume();
    expect(await device.closing()).toBe(4400);
  });

  test('a binary frame, and one beyond 16 KiB, end the link', async () => {
    const [binary, large] = [dial(newIdentity('a')), dial(newIdentity('b'))];
    await Promise.all([binary.opened(), large.opened()]);
    binary.socket.send(Buffer.from([1, 2, 3]));
    large.send('x'.repeat(17_000));
    expect(await binary.closing()).toBe(1003);
    expect(await large.closing()).toBe(1009);
  });

  test('a device that floods is cut off (I15)', async () => {
    const gate = await server.newProduct();
    const device = dial(newIdentity(gate.productLogin, gate.enrolmentCode));
    await device.welcomed();
    for (let seq = 0; seq < 400; seq += 1) device.send({ type: 'time', seq });
    expect(await device.closing()).toBe(4400);
  });
});

describe('who may dial', () => {
  test.each([
    ['a page (Origin)', '/device/v1/link', { Origin: 'https://example.com' }, 403],
    ['another path', '/device/v2/link', {}, 404],
  ])('%s is refused', async (_who, path, headers, status) => {
    expect(await server.upgradeStatus(path, { 'Sec-WebSocket-Protocol': 'relaygate.link.v1', ...headers })).toBe(
      status,
    );
  });

  test('another subprotocol is refused', async () => {
    expect(await server.upgradeStatus('/device/v1/link', { 'Sec-WebSocket-Protocol': 'relaygate.link.v9' })).toBe(400);
    expect(await server.upgradeStatus('/device/v1/link', {})).toBe(400);
  });
});

describe('one link per product (I12)', () => {
  test('the newest wins, with a higher epoch; the older is closed as replaced and gets no command', async () => {
    const { gate, token, device: older } = await linkNewGate(server);
    const newer = await new ScriptedDevice(server.url, older.identity, { instanceId: 'i2' }).linkUp();
    expect(await older.closing()).toBe(4409);
    expect(newer.epoch).toBeGreaterThan(older.epoch);
    expect((await v1(server.url).set(gate.productLogin, 0, 1, { token })).status).toBe(200);
    expect([older.commands.length, newer.commands.length]).toEqual([0, 1]);
    expect(await server.storage.findProduct(gate.productLogin)).toMatchObject({ connected: true });
  });

  test('a device that comes back before its dead link was noticed is no second one; one that was replaced and comes back is', async () => {
    const gate = await server.newProduct();
    const first = await server.linkDevice(gate);
    await new ScriptedDevice(server.url, first.identity, { instanceId: 'i2' }).linkUp();
    expect(await server.storage.findProduct(gate.productLogin)).toMatchObject({ replacedAtMs: null });
    await new ScriptedDevice(server.url, first.identity).linkUp();
    expect(await server.storage.findProduct(gate.productLogin)).toMatchObject({ replacedAtMs: expect.any(Number) });
  });

  test('a link that ends is noted, and a command inside the next 5 s waits for the device to come back', async () => {
    const { gate, token, device: before } = await linkNewGate(server);
    before.close();
    await server.untilState(gate, token, ({ connected }) => !connected);
    const answer = v1(server.url).set(gate.productLogin, 0, 1, { token });
    const after = await new ScriptedDevice(server.url, before.identity).linkUp();
    expect((await answer).text).toBe('OK');
    expect(after.commands).toHaveLength(1);
    expect(before.commands).toHaveLength(0);
  });
});

test('a link that is up without a report shows the states of the one before it, with their time (I11)', async () => {
  const { gate, token, device: before } = await linkNewGate(server);
  const { outputs } = await server.untilState(gate, token, (state) => state.outputs[0]?.state === 0);
  before.close();
  await server.untilState(gate, token, ({ connected }) => !connected);
  const device = dial(before.identity);
  await device.welcomed();
  expect(await server.untilState(gate, token, ({ connected }) => !connected)).toMatchObject({ outputs });
  device.resume();
  expect(await server.untilState(gate, token, ({ connected }) => connected)).toMatchObject({ outputs });
});

describe('revoking a device (I13)', () => {
  let token: string;
  beforeAll(async () => {
    token = await server.newToken();
  });

  test('closes its link within a second, and its key is refused from then on', () =>
    repeat(async () => {
      const gate = await server.newProduct();
      const device = await server.linkDevice(gate);
      const revoked = server.storage.revokeDevice(gate.productLogin, 'f'.repeat(64), Date.now());
      const { answer, ...times } = await timed(revoked.then(() => device.closing()));
      expect(answer).toBe(4410);
      expectWithin(times, 1_000);
      const { enrolmentCode: _, ...identity } = device.identity;
      expect(await refused(dial(identity))).toBe(4401);
    }));

  const set = (gate: TestProduct) => v1(server.url).set(gate.productLogin, 0, 1, { token });
  const expectAtOnce = async (pending: ReturnType<typeof set>): Promise<void> => {
    const { answer, ...times } = await timed(pending);
    expect(answer).toMatchObject({ status: 504, json: { error: 'device-timeout' } });
    expectWithin(times, 1_000);
  };

  test('means that no link is waited for: a command answers 504 at once', () =>
    repeat(async () => {
      const { gate, device } = await linkNewGate(server, token);
      await server.storage.revokeDevice(gate.productLogin, 'f'.repeat(64), Date.now());
      expect(await device.closing()).toBe(4410);
      await expectAtOnce(set(gate));
    }));

  test('before the server started means the same: only an enrolled device is on its way back', () =>
    repeat(async () => {
      const started = await startTestServer();
      try {
        const restartedToken = await started.newToken();
        const gate = await started.newProduct();
        await started.associate(restartedToken, gate);
        await expectAtOnce(v1(started.url).set(gate.productLogin, 0, 1, { token: restartedToken }));
      } finally {
        await started.stop();
      }
    }));

  test('ends a command that waits for a link that was lost before', () =>
    repeat(async () => {
      const { gate, device } = await linkNewGate(server, token);
      device.close();
      await server.untilState(gate, token, ({ connected }) => !connected);
      const waiting = set(gate);
      await server.untilInFlight(gate, token);
      await server.storage.revokeDevice(gate.productLogin, 'f'.repeat(64), Date.now());
      await expectAtOnce(waiting);
      await expectAtOnce(set(gate));
    }));
});
