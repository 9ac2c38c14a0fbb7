import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@relaygate/server/clients/provision';
import { hashEnrolmentCode } from '@relaygate/server/devices/enrolment-code';
import { databaseFile } from '@relaygate/server/files/data-folder';
import { createProduct } from '@relaygate/server/products/provision';
import { openSqliteStorage } from '@relaygate/server/storage/sqlite/sqlite-storage';
import type { Storage } from '@relaygate/server/storage/storage';
import { systemRandomness, systemWallClock } from '@relaygate/shared/system';
import { v1 } from '../../support/server/api-client';
import type { DeviceKey } from '../load/linked-device';
import { MeasuredServer } from './measured-server';

/** Few enough for the deadline of a write, many enough for group commits. */
const SEEDED_AT_ONCE = 200;

export interface SeededServer extends Pick<SeededDatabase, 'productLogins' | 'key'> {
  readonly server: MeasuredServer;
  /** Valid for ten minutes. */
  readonly token: string;
}

/** Beyond what any load here asks for. */
export const NO_BUDGETS = {
  RELAYGATE_PRODUCT_COMMANDS_PER_MINUTE: '999999',
  RELAYGATE_CLIENT_COMMANDS_PER_MINUTE: '999999',
};

/** A real relaygate-server on a fresh database that knows a client, associated with so many products, and their devices. */
export async function startRelaygate(products: number): Promise<SeededServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'relaygate-bench-'));
  const { clientKey, productLogins, key } = await seed(dataDir, products);
  const server = await MeasuredServer.start('relaygate-server', 'server/bin/relaygate-server.js', {
    args: ['start'],
    env: {
      RELAYGATE_DATA_DIR: dataDir,
      RELAYGATE_LISTEN: '127.0.0.1:0',
      ...NO_BUDGETS,
    },
    clean: () => rmSync(dataDir, { recursive: true, force: true }),
  });
  return { server, productLogins, key, token: await logIn(server, clientKey) };
}

/** The access token. */
export async function logIn(server: MeasuredServer, clientKey: string): Promise<string> {
  const { json } = await v1(`http://127.0.0.1:${server.port}`).login(clientKey);
  return (json as { accessToken: string }).accessToken;
}

export interface SeededDatabase {
  readonly clientId: string;
  readonly clientKey: string;
  readonly productLogins: readonly string[];
  /** One for all devices: the server checks each signature all the same. */
  readonly key: DeviceKey;
}

/** Makes a database that knows a client, associated with so many products, and their devices. */
export async function seed(dataDir: string, products: number): Promise<SeededDatabase> {
  return seedInto(await openSqliteStorage({ file: databaseFile(dataDir), writerName: 'cli' }), products);
}

/** The same in an empty storage, which it closes. */
export async function seedInto(store: Storage, products: number): Promise<SeededDatabase> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const parts = { store, randomness: systemRandomness, wallClock: systemWallClock };
  const { clientId, clientKey } = await createClient(parts, 'bench');
  const productLogins = Array.from({ length: products }, (_, n) => `bench-${n}`);
  const provide = async (productLogin: string): Promise<void> => {
    const { enrolmentCode } = await createProduct(parts, { productLogin, outputs: 4, activated: true });
    await store.enrolDevice(productLogin, x, hashEnrolmentCode(enrolmentCode), Date.now());
    await store.associate(clientId, productLogin, Date.now());
  };
  for (let n = 0; n < products; n += SEEDED_AT_ONCE) {
    await Promise.all(productLogins.slice(n, n + SEEDED_AT_ONCE).map(provide));
  }
  await store.close();
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  return { clientId, clientKey, productLogins, key: { publicKey: x, privateKeyPem: pem } };
}
