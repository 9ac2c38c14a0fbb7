/** What all servers of the cluster share: the database and the broker. */
import { randomBytes } from 'node:crypto';
import { freePort } from '../support/processes/free-port';
import type { Supervisor } from '../support/processes/supervisor';
import type { PostgresServer } from '../support/server/postgres-server';
import { found } from '../support/time/waiting';
import type { ClusterFolder } from './cluster-folder';

const START_LIMIT_MS = 20_000;
const BROKER_USER = 'relaygate';

/** Starts `database` and gives the URL of an empty database in it. */
export async function startDatabase(
  folder: ClusterFolder,
  programs: Supervisor,
  database: PostgresServer,
): Promise<string> {
  const launch = () => ({
    name: 'postgres',
    through: database.command(),
    args: [],
    env: database.env,
    detached: true,
    onLine: (line: string) => folder.appendLog('postgres', line),
  });
  await programs.start(launch, /ready to accept connections/, START_LIMIT_MS);
  return found(() => database.newDatabase().catch(() => undefined), 'PostgreSQL makes no database');
}

/** Gives its URL, with the password of this cluster. */
export async function startBroker(folder: ClusterFolder, programs: Supervisor): Promise<string> {
  const port = await freePort();
  const password = randomBytes(18).toString('base64url');
  const settings = `listen: 127.0.0.1:${port}\nauthorization { user: ${BROKER_USER}, password: "${password}" }\n`;
  const file = folder.write('nats.conf', settings);
  const launch = () => ({
    name: 'nats',
    through: ['nats-server'],
    args: ['--config', file],
    detached: true,
    onLine: (line: string) => folder.appendLog('nats', line),
  });
  await programs.start(launch, /Server is ready/, START_LIMIT_MS);
  return `nats://${BROKER_USER}:${password}@127.0.0.1:${port}`;
}
