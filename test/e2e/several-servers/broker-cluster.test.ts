/** Three NATS servers that form a cluster (SCALING.md): nodes at different ones reach each other, and one that dies is left. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../support/processes/free-port';
import { describeWhere } from '../../support/processes/needs';
import { v1 } from '../../support/server/api-client';
import { missingNats, NatsServer } from '../../support/server/nats-server';
import { NodeProcesses } from '../../support/server/node-process';
import { missingPostgres, PostgresServer } from '../../support/server/postgres-server';
import { eventually } from '../../support/time/waiting';

const PASSWORD = 'a-very-secret-word';
/** As SCALING.md has it: the user sees nothing but the subjects of the nodes. */
const AUTHORIZATION = `authorization { users: [
  { user: relaygate, password: "${PASSWORD}", permissions: { publish: "relaygate.>", subscribe: "relaygate.>" } }
] }`;
const FOUND_AGAIN_MS = 5_000;

describeWhere(missingPostgres() ?? missingNats())('a cluster of NATS servers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rg-brokers-'));
  let postgres: PostgresServer;
  const brokers: NatsServer[] = [];
  let nodes: NodeProcesses;
  beforeAll(async () => {
    postgres = await PostgresServer.start();
    const file = join(folder, 'nats.conf');
    writeFileSync(file, AUTHORIZATION, { mode: 0o600 });
    const routes: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      const route = `nats-route://127.0.0.1:${await freePort()}`;
      const args = ['-c', file, '--cluster_name', 'relaygate', '--cluster', route.replace('nats-route', 'nats')];
      brokers.push(await NatsServer.start(...args, ...(n > 0 ? ['--routes', routes.join()] : [])));
      routes.push(route);
    }
    const [first = '', ...others] = brokers.map(({ url }) => url);
    const url = [first.replace('//', `//relaygate:${PASSWORD}@`), ...others].join();
    nodes = new NodeProcesses(await postgres.newDatabase(), url);
    await nodes.startThree();
  }, 120_000);
  afterAll(async () => {
    await nodes?.stop();
    for (const broker of brokers) await broker.end();
    await postgres?.remove();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  test('a command finds its device from each node, also after each of them has died in turn', async () => {
    await nodes.newProducts('a', 1);
    const gate = nodes.nextProduct();
    const device = await nodes.link('a', nodes.identityOf(gate));
    const { token } = nodes;
    const worksAtAll = async (): Promise<boolean> => {
      for (const name of ['a', 'b', 'c']) {
        const { status } = await v1(nodes.url(name)).toggle(gate.productLogin, 0, { token });
        if (status !== 200) return false;
      }
      return true;
    };
    await eventually(worksAtAll, FOUND_AGAIN_MS);
    for (const broker of brokers) {
      await broker.end();
      await eventually(worksAtAll, FOUND_AGAIN_MS);
      await broker.begin();
    }
    expect(new Set(device.commands.map(({ commandId }) => commandId)).size).toBe(device.commands.length);
  }, 60_000);
});
