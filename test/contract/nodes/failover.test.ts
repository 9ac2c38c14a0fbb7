/** A standby becomes the database of nodes that go on running. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { separateDatabase } from '@relaygate/server/copies/separate-database';
import { openPostgresStorage, type PostgresStorage } from '@relaygate/server/storage/postgresql/postgres-storage';
import type { Session } from '@relaygate/server/storage/postgresql/session';
import { CLOSE } from '@relaygate/shared';
import { systemClock, systemRandomness } from '@relaygate/shared/system';
import { describeWhere } from '../../support/processes/needs';
import { call, v1 } from '../../support/server/api-client';
import { eventsIn } from '../../support/server/audit-records';
import { CuttingProxy } from '../../support/server/cutting-proxy';
import { MemoryBroker } from '../../support/server/memory-broker';
import { missingPostgres, PostgresServer } from '../../support/server/postgres-server';
import { newIdentity, ScriptedDevice } from '../../support/server/scripted-device';
import { newSecrets, startTestServer, type TestServer } from '../../support/server/test-server';
import { eventually, found } from '../../support/time/waiting';
import { firstFault } from '../storage/first-fault';

describeWhere(missingPostgres())('nodes whose database fails over', () => {
  const broker = new MemoryBroker();
  const secrets = newSecrets();
  const nodes: { server: TestServer; storage: PostgresStorage }[] = [];
  let primary: PostgresServer;
  let standby: PostgresServer | undefined;
  let proxy: CuttingProxy;

  beforeAll(async () => {
    primary = await PostgresServer.start();
    proxy = await CuttingProxy.start(primary.port);
    for (const name of ['a', 'b', 'c']) nodes.push(await startNode(name));
  }, 60_000);
  afterAll(async () => {
    await Promise.all(nodes.map(({ server }) => server.stop()));
    await proxy?.stop();
    await standby?.remove();
    await primary?.remove();
  }, 60_000);

  async function startNode(nodeName: string): Promise<{ server: TestServer; storage: PostgresStorage }> {
    const beforeWrites = async (session: Session): Promise<void> => {
      const machine = { atMs: Date.now(), clock: systemClock, randomness: systemRandomness };
      await separateDatabase(session, { writerName: nodeName, ...machine });
    };
    const url = proxy.through(primary.url('postgres'));
    const server = { writerName: nodeName, isServer: true, isShared: true };
    const storage = await openPostgresStorage({ url, ...server, beforeWrites });
    const shared = { storage, bus: broker.connect(), secrets, onFailover: storage.onFailover };
    return { server: await startTestServer({ ...shared, settings: { nodeName } }), storage };
  }

  test('epochs go on a million further, once, before a link is accepted; no older link counts (I12), nothing that was confirmed is lost (I8)', async () => {
    const [a, b, c] = nodes;
    if (!a || !b || !c) throw new Error('three nodes');
    const { clientId, token } = await a.server.newClientWithToken();
    const gate = await a.server.newProduct();
    await a.server.associate(token, gate);
    const identity = newIdentity(gate.productLogin, gate.enrolmentCode);
    const older = await new ScriptedDevice(a.server.url, identity).linkUp();
    expect((await v1(b.server.url).set(gate.productLogin, 0, 1, { token })).status).toBe(200);

    expect(await a.storage.hasSynchronousStandby()).toBe(false);
    standby = await primary.standby();
    const follows = standby;
    await primary.query('postgres', "ALTER SYSTEM SET synchronous_standby_names = '*'");
    await primary.query('postgres', 'SELECT pg_reload_conf()');
    await found(async () => (await a.storage.hasSynchronousStandby()) || undefined);
    const lamp = await busyLamp(a.server, token);
    await eventually(() => lamp.confirmed.length > 100);
    await primary.stop('SIGQUIT');
    await follows.query('postgres', 'SELECT pg_promote()');
    proxy.toPort = follows.port;
    await lamp.stop();

    expect(await older.closing()).toBe(CLOSE.serverRestarting);
    const newer = await found(
      () => new ScriptedDevice(b.server.url, identity).linkUp().catch(() => undefined),
      'no link after the failover',
    );
    expect(newer.epoch).toBeGreaterThan(older.epoch + 1_000_000);
    for (const { server } of nodes) {
      await found(async () => {
        const { status } = await v1(server.url).set(gate.productLogin, 0, 1, { token });
        return status === 200 || undefined;
      });
    }
    expect(older.commands).toHaveLength(1);
    expect(newer.commands).toHaveLength(3);
    const copied = await eventsIn(a.storage, 'database-copied');
    expect(copied.map(({ details }) => (details as { from?: string }).from)).toEqual(['another timeline']);
    expect(await firstFault(a.storage)).toBeUndefined();
    await eventually(async () => (await a.storage.livingNodes()).join() === 'a,b,c');
    expect(clientId).toBeTruthy();
    newer.close();
    // What was told as done under a synchronous standby is on record, and what has its outcome in a node's memory gets it.
    for (const commandId of lamp.confirmed) {
      const { json } = await found(async () => {
        const answer = await call('GET', `${b.server.url}/api/v1/commands/${commandId}`, undefined, { token });
        return (answer.json as { outcome?: string }).outcome === 'pending' ? undefined : answer;
      });
      expect(json).toMatchObject({ commandId, outcome: 'executed' });
    }
  }, 60_000);

  /** One command after the other through each node, until it is stopped. `confirmed`: the ids of those that were told as done. */
  async function busyLamp(server: TestServer, token: string): Promise<{ confirmed: string[]; stop(): Promise<void> }> {
    const lamp = await server.newProduct();
    await server.associate(token, lamp);
    const device = await new ScriptedDevice(server.url, newIdentity(lamp.productLogin, lamp.enrolmentCode)).linkUp();
    const confirmed: string[] = [];
    let isOver = false;
    const givers = nodes.map(async ({ server: { url } }) => {
      while (!isOver) {
        const { status, headers } = await v1(url).toggle(lamp.productLogin, 0, { token });
        if (status === 200) confirmed.push(headers.get('command-id') ?? '');
      }
    });
    return {
      confirmed,
      async stop() {
        isOver = true;
        await Promise.all(givers);
        device.close();
      },
    };
  }
});
