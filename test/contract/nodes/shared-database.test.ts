import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { KeyHolder } from '@relaygate/server/clients/client-store';
import { openPostgresStorage } from '@relaygate/server/storage/postgresql/postgres-storage';
import type { Storage } from '@relaygate/server/storage/storage';
import {
  CLOSE,
  type Clock,
  type CommandStatus,
  FAILED_ATTEMPTS_PER_MINUTE,
  type ProductState,
  type ServerSettings,
  type TokenPair,
} from '@relaygate/shared';
import { monotonicNowMs, systemClock } from '@relaygate/shared/system';
import { describeWhere } from '../../support/processes/needs';
import { type Answer, call, legacy, v1 } from '../../support/server/api-client';
import { expectError } from '../../support/server/expect-error';
import { MemoryBroker } from '../../support/server/memory-broker';
import { missingPostgres, PostgresServer } from '../../support/server/postgres-server';
import { type DeviceIdentity, newIdentity, ScriptedDevice } from '../../support/server/scripted-device';
import { newSecrets, startTestServer, type TestProduct, type TestServer } from '../../support/server/test-server';
import { eventually, pause } from '../../support/time/waiting';

/** A node of several on one database. Its clock can jump, as if the process had been frozen, and its writes can be held. */
interface Node {
  server: TestServer;
  token: string;
  jump(byMs: number): void;
  /** The answer of the next write of this name is held until `release`; resolves when the database has answered. */
  holdNext(name: keyof Storage): { answered: Promise<void>; release(): void };
  stop(): Promise<void>;
}

describeWhere(missingPostgres())('several nodes on one database', () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await PostgresServer.start();
  });
  afterAll(() => postgres.remove());

  const secrets = newSecrets();
  let broker: MemoryBroker;
  let url: string;
  let nodes: Node[];
  let devices: ScriptedDevice[];
  let client: KeyHolder;
  let gate: TestProduct;
  let identity: DeviceIdentity;
  let a: Node;
  let b: Node;
  beforeEach(async () => {
    url = await postgres.newDatabase();
    broker = new MemoryBroker();
    [nodes, devices] = [[], []];
    a = await startNode('a');
    client = await a.server.newClient();
    a.token = a.server.tokenOf(client);
    b = await startNode('b');
    gate = await a.server.newProduct();
    await a.server.associate(a.token, gate);
    identity = newIdentity(gate.productLogin, gate.enrolmentCode);
  });
  afterEach(async () => {
    for (const device of devices) device.close();
    await Promise.all(nodes.map((node) => node.stop()));
  });

  async function startNode(name: string, settings: Partial<ServerSettings> = {}): Promise<Node> {
    let jumpedMs = 0;
    const held = new Map<PropertyKey, { answered(): void; released: Promise<void> }>();
    const clock: Clock = {
      nowMs: () => systemClock.nowMs() + jumpedMs,
      after: (ms, run) => systemClock.after(ms, run),
    };
    const opened = await openPostgresStorage({ url, writerName: name, isServer: true, isShared: true });
    const storage = new Proxy(opened, {
      get(target, method: keyof Storage) {
        const run: unknown = Reflect.get(target, method);
        if (typeof run !== 'function') return run;
        return async (...args: unknown[]) => {
          const hold = held.get(method);
          held.delete(method);
          const result = await run.apply(target, args);
          hold?.answered();
          await hold?.released;
          return result;
        };
      },
    });
    const shared = { storage, bus: broker.connect(), secrets, settings: { ...settings, nodeName: name } };
    const server = await startTestServer({ ...shared, clock }).catch(async (error) => {
      await opened.close();
      throw error;
    });
    const node: Node = {
      server,
      token: client ? server.tokenOf(client) : '',
      jump: (byMs) => {
        jumpedMs += byMs;
      },
      holdNext(method) {
        let release = (): void => {};
        const released = new Promise<void>((resolve) => {
          release = resolve;
        });
        const answered = new Promise<void>((resolve) => held.set(method, { answered: resolve, released }));
        return { answered, release };
      },
      async stop() {
        nodes = nodes.filter((one) => one !== node);
        await server.stop();
      },
    };
    nodes.push(node);
    return node;
  }

  async function link(node: Node, who = identity): Promise<ScriptedDevice> {
    const device = new ScriptedDevice(node.server.url, who);
    devices.push(device);
    return device.linkUp();
  }
  const set = (node: Node, state: 0 | 1 = 1) =>
    v1(node.server.url).set(gate.productLogin, 0, state, { token: node.token });
  const isConnected = async (node: Node) =>
    ((await v1(node.server.url).state(gate.productLogin, { token: node.token })).json as ProductState).connected;
  const endLease = (name: string) =>
    postgres.query(new URL(url).pathname.slice(1), `UPDATE nodes SET lease_until_ms = 0 WHERE name = '${name}'`);

  test('failed logins at one node count at the other within a second', async () => {
    const login = async (at: Node) => (await v1(at.server.url).login('wrong')).status;
    for (let n = 0; n < FAILED_ATTEMPTS_PER_MINUTE; n += 1) expect(await login(a)).toBe(401);
    await pause(1_000);
    expect(await login(b)).toBe(429);
  });

  test('a client may give to one product what its budget says, whichever nodes it asks (I15)', async () => {
    const few = { productCommandsPerMinute: '6' };
    const [c, d] = [await startNode('c', few), await startNode('d', few)];
    await link(c);
    const answers: Answer[] = [];
    for (let n = 0; n < 5; n += 1) {
      for (const { server } of [c, d])
        answers.push(await v1(server.url).toggle(gate.productLogin, 0, { token: a.token }));
    }
    expect(answers.map(({ status }) => status)).toEqual([...Array(6).fill(200), ...Array(4).fill(429)]);
    for (const answer of answers.slice(6)) {
      expectError(answer, 429, 'too-many-requests');
      expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60 / 6);
      expect(answer.headers.get('command-id')).toBeNull();
      expect(answer.headers.get('ratelimit')).toContain('"product";r=0;');
    }
    expect(devices[0]?.commands).toHaveLength(6);
  });

  test('the older link is closed within 1 s of a newer one on another node, and commands go where the newer is', async () => {
    const older = await link(a);
    expect((await set(a)).status).toBe(200);
    const newer = await link(b);
    const linkedMs = monotonicNowMs();
    expect(await older.closing()).toBe(CLOSE.replaced);
    expect(monotonicNowMs() - linkedMs).toBeLessThan(1_000);
    expect([older.epoch, newer.epoch]).toEqual([1, 2]);
    expect([await isConnected(a), await isConnected(b)]).toEqual([true, true]);
    expect((await set(b, 0)).status).toBe(200);
    expect((await set(a)).status).toBe(200);
    expect([older.commands.length, newer.commands.length]).toEqual([1, 2]);
  });

  test('each node lists the products and commands of the client, and goes on from the cursor of another', async () => {
    const door = await a.server.newProduct();
    await a.server.associate(a.token, door);
    await link(a);
    for (const node of [a, b]) expect((await set(node)).status).toBe(200);
    const list = async (node: Node, path: string) =>
      (await call('GET', `${node.server.url}/api/v1/${path}`, undefined, { token: node.token })).json as {
        products: ProductState[];
        commands: CommandStatus[];
        next: string;
      };
    for (const node of [a, b]) {
      const connected = async (is: boolean) =>
        (await list(node, `products?connected=${is}`)).products.map(({ productLogin }) => productLogin);
      expect([await connected(true), await connected(false)]).toEqual([[gate.productLogin], [door.productLogin]]);
    }
    // Only the owner knows an outcome before it is written.
    await eventually(async () => (await list(b, 'commands')).commands.every(({ outcome }) => outcome !== 'pending'));
    const first = await list(a, 'commands?limit=1');
    const second = await list(b, `commands?limit=1&cursor=${first.next}`);
    const all = (await list(b, 'commands')).commands;
    expect([first.commands[0], second.commands[0]]).toEqual(all);
    await endLease('a');
    expect((await list(b, 'products')).products.map(({ connected }) => connected)).toEqual([false, false]);
  });

  test('a node whose link is superseded records and sends nothing, before it knows: the newer link gets the command', async () => {
    const older = await link(a);
    const watch = a.holdNext('linksSince');
    await watch.answered;
    const newer = await link(b);
    expect((await set(a)).status).toBe(200);
    expect(newer.commands).toHaveLength(1);
    watch.release();
    await older.closing();
    expect(older.commands).toEqual([]);
  });

  test('while a device that got a command is away, others get 409 at once at each node, and move nothing when it is back (I6)', async () => {
    const device = await link(a);
    device.react = () => device.close();
    const first = set(a);
    await eventually(async () => !(await isConnected(a)));
    expect([(await set(a, 0)).status, (await set(b, 0)).status]).toEqual([409, 409]);
    const back = new ScriptedDevice(a.server.url, identity);
    devices.push(back);
    for (const { commandId } of device.commands)
      back.known.set(commandId, { type: 'result', commandId, outcome: 'executed', state: 1 });
    await back.linkUp();
    expect((await first).status).toBe(200);
    expect(back.commands).toEqual([]);
  });

  test('a link that a newer one at another node overtook while it was opened ends as soon as it is open (I12)', async () => {
    await link(b);
    const opening = a.holdNext('openLink');
    const older = new ScriptedDevice(a.server.url, identity);
    devices.push(older);
    void older.linkUp().catch(() => {});
    await opening.answered;
    await link(b);
    const seen = a.holdNext('linksSince');
    await seen.answered;
    seen.release();
    opening.release();
    expect(await older.closing()).toBe(CLOSE.replaced);
  });

  test('a node without a lease says so: it takes no links', async () => {
    a.jump(13_000);
    const { status, json } = await call('GET', `${a.server.url}/readyz`);
    expect({ status, json }).toMatchObject({ status: 503, json: { codes: ['no-lease'] } });
    await eventually(async () => (await call('GET', `${a.server.url}/readyz`)).status === 200);
  });

  test('a node that was frozen between its record and the answer sends nothing once its lease is over (T34)', async () => {
    const device = await link(a);
    const record = a.holdNext('recordCommand');
    const answering = set(a);
    await record.answered;
    a.jump(13_000);
    await endLease('a');
    record.release();
    expect((await answering).status).toBe(504);
    expect(await device.closing()).toBe(CLOSE.serverRestarting);
    expect(device.commands).toEqual([]);
  });

  test('a node that has lost its lease joins again, and links and commands work as before', async () => {
    const device = await link(a);
    await endLease('a');
    expect(await device.closing()).toBe(CLOSE.serverRestarting);
    await eventually(async () => {
      const again = new ScriptedDevice(a.server.url, identity);
      devices.push(again);
      return again.linkUp().then(
        () => true,
        () => false,
      );
    });
    expect((await set(a)).status).toBe(200);
  });

  test('a new owner leaves the slot to the command of the old one until its deadline (I6)', async () => {
    const older = await link(a);
    older.react = () => {};
    const first = set(a);
    const begunMs = monotonicNowMs();
    await older.commanded();
    const newer = await link(b);
    expect((await set(b)).status).toBe(409);
    expect((await first).status).toBe(504);
    expect(newer.commands).toEqual([]);
    await eventually(async () => (await set(b)).status === 200);
    expect(monotonicNowMs() - begunMs).toBeGreaterThan(4_900);
    expect(newer.commands).toHaveLength(1);
  });

  test('the resume report on the new node settles the command of the old one, whose caller hears of it, and frees the slot', async () => {
    const older = await link(a);
    older.react = () => {};
    const first = set(a);
    const { commandId } = await older.commanded();
    const newer = new ScriptedDevice(b.server.url, identity);
    devices.push(newer);
    newer.known.set(commandId, { type: 'result', commandId, outcome: 'executed', numOutput: 0, state: 1 });
    const begunMs = monotonicNowMs();
    await newer.linkUp();
    await eventually(async () => (await set(b, 0)).status === 200);
    expect(monotonicNowMs() - begunMs).toBeLessThan(4_000);
    expect((await first).status).toBe(200);
    expect(await b.server.storage.findCommand(commandId)).toMatchObject({ outcome: 'confirmed-late' });
  });

  test('a command waits for a device whose handshake with its new node has not ended', async () => {
    await link(a);
    await b.server.untilOfflineCounts();
    const moving = new ScriptedDevice(b.server.url, identity);
    devices.push(moving);
    await moving.welcomed();
    const waiting = set(a);
    await pause(300);
    await moving.linkUpFromHere();
    expect((await waiting).status).toBe(200);
  });

  test('of two links that open on two nodes at once, the newest stays', async () => {
    await link(a).then((device) => device.close());
    const both = [new ScriptedDevice(a.server.url, identity), new ScriptedDevice(b.server.url, identity)];
    devices.push(...both);
    // The older one may end before it is answered.
    await Promise.allSettled(both.map((device) => device.welcomed()));
    const [older, newer] = both.sort((one, other) => one.epoch - other.epoch);
    await older?.closing();
    await newer?.linkUpFromHere();
    expect(newer?.closed).toBeUndefined();
    expect(await Promise.all([isConnected(a), isConnected(b)])).toEqual([true, true]);
  });

  test('the devices of a dead node are gone on every node as soon as its lease is over, and their products are taken over', async () => {
    const device = await link(a);
    expect(await isConnected(b)).toBe(true);
    a.server.failStorage();
    await endLease('a');
    expect(await isConnected(b)).toBe(false);
    await eventually(async () => (await b.server.storage.findProduct(gate.productLogin))?.connected === false);
    // Not linked to this node: 504 at once, and from here on this node has the slot.
    await b.server.untilOfflineCounts();
    expect((await set(b)).status).toBe(504);
    expect(device.commands).toEqual([]);
    const moved = await link(b);
    expect((await set(b)).status).toBe(200);
    expect(moved.commands).toHaveLength(1);
  });

  test('one node starts and stops, and leaves the links and commands of another alone', async () => {
    const device = await link(a);
    device.react = () => {};
    const answering = set(a);
    const command = await device.commanded();
    await b.stop();
    b = await startNode('b');
    device.obey(command);
    expect((await answering).status).toBe(200);
    expect(device.closed).toBeUndefined();
    expect([await isConnected(a), await isConnected(b)]).toEqual([true, true]);
  });

  test('a node that was stopped starts again at once', async () => {
    await b.stop();
    b = await startNode('b');
    await link(b);
    expect((await set(b)).status).toBe(200);
  });

  test('a server that is alone on its database, and servers that share one, exclude each other', async () => {
    await expect(openPostgresStorage({ url, writerName: 'c', isServer: true })).rejects.toMatchObject({
      code: 'already-running',
    });
    await Promise.all([a.stop(), b.stop()]);
    const alone = await openPostgresStorage({ url, writerName: 'c', isServer: true });
    await expect(startNode('a')).rejects.toMatchObject({ code: 'already-running' });
    await alone.close();
  });

  test('a device that is revoked through one node loses its link to another within 1 s (I13)', async () => {
    const device = await link(a);
    const revokedMs = monotonicNowMs();
    await b.server.storage.revokeDevice(gate.productLogin, 'new code', Date.now());
    expect(await device.closing()).toBe(CLOSE.revoked);
    expect(monotonicNowMs() - revokedMs).toBeLessThan(1_000);
  });

  test('a device that is revoked while its new link is looked at again is told so, and not that another has replaced it', async () => {
    const opening = a.holdNext('openLink');
    const linking = link(a);
    await opening.answered;
    const lookingAgain = a.holdNext('findProduct');
    opening.release();
    await lookingAgain.answered;
    await b.server.storage.revokeDevice(gate.productLogin, 'new code', Date.now());
    lookingAgain.release();
    expect(await (await linking).closing()).toBe(CLOSE.revoked);
  });

  test('what is taken away through one node is refused by another at its next request, and given again (I13)', async () => {
    await link(b);
    const { storage } = b.server;
    const { productLogin } = gate;
    const changes: [(to: boolean) => Promise<unknown>, number][] = [
      [(to) => storage.setOutputActivated(productLogin, 0, to, Date.now()), 403],
      [(to) => storage.setProductActivated(productLogin, to, Date.now()), 403],
      [(to) => storage.setClientActive(client.clientId, to, Date.now()), 401],
    ];
    for (const [change, refused] of changes) {
      await change(false);
      expect((await set(a)).status).toBe(refused);
      await change(true);
      expect((await set(a)).status).toBe(200);
    }
    await v1(b.server.url).deleteProduct(productLogin, { token: b.token });
    expect((await set(a)).status).toBe(403);
  });

  test('a login and a command id with NUL in them, which PostgreSQL takes for an error, are ones that nobody knows', async () => {
    const { token, server } = a;
    const asked = [v1, legacy].flatMap((generation) => {
      const api = generation(server.url);
      return [
        api.set('\0', 0, 1, { token }),
        api.toggle('\0', 0, { token }),
        api.state('\0', { token }),
        api.addProduct('\0', gate.productKey, { token }),
        api.deleteProduct('\0', { token }),
      ];
    });
    asked.push(call('GET', `${server.url}/api/v1/commands/%00`, undefined, { token }));
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(asked.map(() => 404));
  });

  test('a token family is one on all nodes: a parent gives one successor, and its reuse ends the family everywhere', async () => {
    const { clientKey } = await a.server.newClient();
    const pairOf = async (answer: Promise<Answer>): Promise<TokenPair> => (await answer).json as TokenPair;
    const refresh = (node: Node, token: string) => v1(node.server.url).refresh(token);
    const first = await pairOf(v1(a.server.url).login(clientKey));
    const [one, other] = await Promise.all([a, b].map((node) => pairOf(refresh(node, first.refreshToken))));
    expect(one?.refreshToken).toBe(other?.refreshToken);
    const next = await pairOf(refresh(b, one?.refreshToken ?? ''));
    expect((await refresh(a, first.refreshToken)).status).toBe(401);
    expect((await refresh(b, next.refreshToken)).status).toBe(401);
  });
});
