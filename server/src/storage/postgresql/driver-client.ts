import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { RelaygateError } from '@relaygate/shared';
import type * as Driver from 'pg';
import type { Client } from 'pg';

/** How long the server may work on one statement. Shorter than SILENCE_MS of a session, so that the server's own error comes first. */
const STATEMENT_MS = 3_000;
/**
 * How long a statement waits for a lock. PostgreSQL serves those who wait in their order, and whoever gives up and asks again stands
 * behind all others; but a write that waits so is refused that much too late.
 */
const TURN_MS = 250;
const CONNECT_MS = 2_000;
/** If this process is frozen inside a transaction, the server ends it then: all nodes wait for its lock, a record for a second. */
const IDLE_IN_TRANSACTION_MS = 800;
const KEEPALIVE_AFTER_MS = 10_000;
/** int8, int2, int4, numeric: all that are stored are safe integers. */
const NUMBERS = new Set([20, 21, 23, 1700]);
const SAYS_TLS = /[?&](sslmode|ssl)=/;

/** Where it is, without the secret parts of the URL. Fails with `bad-setting`. */
export function shownDatabase(url: string): string {
  const { host, port, database } = clientOf(url, '', new Socket());
  return `PostgreSQL at ${host}:${port}, database ${database}`;
}

/** The driver's client, on `socket`, not yet connected. Fails with `bad-setting`. The cause is not kept: it may show the URL. */
export function clientOf(url: string, name: string, socket: Socket): Client {
  // Loaded here: who has no PostgreSQL needs none of it.
  const driver: typeof Driver = createRequire(__filename)('pg');
  let client: Client;
  try {
    client = new driver.Client({
      connectionString: url,
      pipeline: true,
      application_name: name,
      connectionTimeoutMillis: CONNECT_MS,
      statement_timeout: STATEMENT_MS,
      lock_timeout: TURN_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEPALIVE_AFTER_MS,
      stream: () => socket,
      types: { getTypeParser: (oid: number) => (NUMBERS.has(oid) ? Number : String) },
    });
  } catch {
    const text =
      'RELAYGATE_DATABASE_URL cannot be used; it may be postgresql://USER:PASSWORD@HOST:PORT/DATABASE, and files that it names must be readable.';
    throw new RelaygateError('bad-setting', text);
  }
  if (!client.ssl && !isOnThisMachine(client.host) && !SAYS_TLS.test(url) && process.env.PGSSLMODE === undefined) {
    const text =
      'RELAYGATE_DATABASE_URL names another machine: end it with ?sslmode=verify-full, or with ?sslmode=disable where nobody else reaches the network between.';
    throw new RelaygateError('bad-setting', text);
  }
  return client;
}

/** A socket's folder, or a loopback address. */
function isOnThisMachine(host: string): boolean {
  return host.startsWith('/') || host === 'localhost' || host === '::1' || host.startsWith('127.');
}
