import { freePort } from '../support/processes/free-port';
import type { Pids, Supervisor } from '../support/processes/supervisor';
import { PlainApi } from '../support/server/plain-api';
import type { PostgresServer } from '../support/server/postgres-server';
import type { ClusterFolder } from './cluster-folder';
import { type ClusterDevice, OUTPUTS, startDevices } from './devices';
import { balancerSettings } from './load-balancer';
import { type ClusterNode, type Product, provision, type SharedUrls, startNodes } from './nodes';
import { startBroker, startDatabase } from './shared-parts';

export interface ClusterSize {
  readonly nodes: number;
  readonly devices: number;
  /** Of the load balancer; 0: a free one. */
  readonly port: number;
}

/** A started cluster: what a user needs to switch its outputs. */
export interface Cluster extends SharedUrls {
  /** Of the load balancer; ends in /api, as those of the nodes. */
  readonly baseUrl: string;
  readonly nodes: readonly ClusterNode[];
  readonly devices: readonly ClusterDevice[];
  readonly clientKey: string;
  readonly pids: Pids;
}

const BALANCER_LIMIT_MS = 20_000;

/** Resolves when all is ready: every device linked, every product associated with the client. */
export async function startCluster(
  size: ClusterSize,
  folder: ClusterFolder,
  programs: Supervisor,
  database: PostgresServer,
  say: (line: string) => void,
): Promise<Cluster> {
  say('Starting PostgreSQL and NATS ...');
  const [databaseUrl, natsUrl] = await Promise.all([
    startDatabase(folder, programs, database),
    startBroker(folder, programs),
  ]);
  const urls = { databaseUrl, natsUrl };
  say(`Starting ${size.nodes} servers ...`);
  const nodes = await startNodes(folder, programs, urls, size.nodes);
  const origin = await startBalancer(folder, programs, size.port, nodes);
  const baseUrl = `http://${origin}/api`;
  say(`Making ${size.devices} products ...`);
  const { clientKey, products } = await provision(folder, urls, size.devices, OUTPUTS);
  say(`Starting ${size.devices} devices, guard and agent each, with simulated boards ...`);
  const [devices] = await Promise.all([
    startDevices(folder, programs, origin, products, say),
    associate(baseUrl, clientKey, products),
  ]);
  return { ...urls, baseUrl, nodes, devices, clientKey, pids: programs.pids };
}

async function startBalancer(
  folder: ClusterFolder,
  programs: Supervisor,
  wantedPort: number,
  nodes: readonly ClusterNode[],
): Promise<string> {
  const port = wantedPort || (await freePort());
  const file = folder.write('haproxy.cfg', balancerSettings(port, nodes));
  const launch = () => ({
    name: 'haproxy',
    through: ['haproxy'],
    args: ['-W', '-db', '-f', file],
    detached: true,
    onLine: (line: string) => folder.appendLog('haproxy', line),
  });
  await programs.start(launch, /Loading success/, BALANCER_LIMIT_MS);
  return `127.0.0.1:${port}`;
}

async function associate(baseUrl: string, clientKey: string, products: readonly Product[]): Promise<void> {
  const api = new PlainApi(baseUrl);
  await api.login(clientKey);
  for (const { productLogin, productKey } of products) await api.addProduct(productLogin, productKey);
}
