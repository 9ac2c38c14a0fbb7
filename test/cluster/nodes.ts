/** The servers of the cluster, and what their operator makes on the first of them. */
import { type Launch, runToEnd } from '../support/processes/program';
import type { Supervisor } from '../support/processes/supervisor';
import { copyCommonFiles } from '../support/server/common-files';
import type { ClusterFolder } from './cluster-folder';

const SERVER_FILE = 'server/bin/relaygate-server.js';
/** Devices sign it. */
export const SERVER_NAME = 'relaygate';
const START_LIMIT_MS = 30_000;

export interface SharedUrls {
  readonly databaseUrl: string;
  readonly natsUrl: string;
}

export interface ClusterNode {
  readonly name: string;
  /** Ends in /api. */
  readonly baseUrl: string;
  readonly pid: number;
}

export interface Product {
  readonly productLogin: string;
  readonly productKey: string;
  readonly enrolmentCode: string;
}

/** Starts `count` servers. The first one makes the secrets, which the others get. */
export async function startNodes(
  folder: ClusterFolder,
  programs: Supervisor,
  urls: SharedUrls,
  count: number,
): Promise<ClusterNode[]> {
  const names = Array.from({ length: count }, (_, n) => `node-${n + 1}`);
  const [first = '', ...others] = names;
  const nodes = [await startNode(folder, programs, urls, first)];
  for (const name of others) copyCommonFiles(folder.dataDir(first), folder.dataDir(name));
  nodes.push(...(await Promise.all(others.map((name) => startNode(folder, programs, urls, name)))));
  return nodes;
}

/** One that is started again comes back at the port of its first start. */
async function startNode(
  folder: ClusterFolder,
  programs: Supervisor,
  urls: SharedUrls,
  name: string,
): Promise<ClusterNode> {
  let origin = '127.0.0.1:0';
  const launch = (): Launch => ({
    name,
    file: SERVER_FILE,
    args: ['start'],
    env: { ...nodeEnv(folder, urls, name), RELAYGATE_LISTEN: origin, RELAYGATE_TRUSTED_PROXIES: 'loopback' },
    detached: true,
    onLine: (line) => folder.appendLog(name, line),
  });
  const [, listening = ''] = await programs.start(launch, /listening on http:\/\/(127\.0\.0\.1:\d+)/, START_LIMIT_MS);
  origin = listening;
  return { name, baseUrl: `http://${origin}/api`, pid: programs.pids[name] ?? 0 };
}

function nodeEnv(folder: ClusterFolder, { databaseUrl, natsUrl }: SharedUrls, name: string): Record<string, string> {
  return {
    RELAYGATE_DATA_DIR: folder.dataDir(name),
    RELAYGATE_DATABASE_URL: databaseUrl,
    RELAYGATE_NATS_URL: natsUrl,
    RELAYGATE_NODE_NAME: name,
    RELAYGATE_SERVER_NAME: SERVER_NAME,
  };
}

/** A client and `count` activated products with `outputs` outputs each, made beside the running servers. */
export async function provision(
  folder: ClusterFolder,
  urls: SharedUrls,
  count: number,
  outputs: number,
): Promise<{ clientKey: string; products: Product[] }> {
  const env = nodeEnv(folder, urls, 'node-1');
  const server = async (...args: string[]): Promise<string> =>
    runToEnd({ name: `relaygate-server ${args[0]}`, file: SERVER_FILE, args: [...args, '--json'], env });
  const { clientKey } = JSON.parse(await server('client', 'create', '--name', 'cluster'));
  const many = ['--outputs', String(outputs), '--count', String(count), '--activate-all'];
  // A line each.
  const made = await server('product', 'create', ...many);
  return { clientKey, products: made.split('\n').map((line): Product => JSON.parse(line)) };
}
