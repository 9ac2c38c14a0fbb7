import { createSecretKey, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import type { CheckpointKeeper } from '@relaygate/server/audit/checkpoint-keeping';
import { hashClientKey, newClientKey } from '@relaygate/server/clients/client-key';
import type { KeyHolder } from '@relaygate/server/clients/client-store';
import { type RunningServer, startServer } from '@relaygate/server/compose';
import { hashEnrolmentCode, newEnrolmentCode } from '@relaygate/server/devices/enrolment-code';
import type { Secrets } from '@relaygate/server/files/secrets';
import type { WriteLimits } from '@relaygate/server/limits/write-budgets';
import { newProductId } from '@relaygate/server/products/product-id';
import { hashProductKey, newProductKey } from '@relaygate/server/products/product-key';
import type { MessageBus } from '@relaygate/server/router/message-bus';
import { readSettings } from '@relaygate/server/settings';
import { openSqlite } from '@relaygate/server/storage/sqlite/sqlite';
import { openSqliteStorage } from '@relaygate/server/storage/sqlite/sqlite-storage';
import type { StartWriterThread } from '@relaygate/server/storage/sqlite/writer-thread';
import type { Storage } from '@relaygate/server/storage/storage';
import { signAccessToken } from '@relaygate/server/tokens/access-token';
import type { DiskWatchOptions } from '@relaygate/server/upkeep/disk-watch';
import type { Clock, ProductState, ServerSettings } from '@relaygate/shared';
import { systemClock, systemRandomness } from '@relaygate/shared/system';
import { memoryFolder } from '../processes/memory-folder';
import { found, pause } from '../time/waiting';
import { type Answer, call, v1 } from './api-client';
import { collectingLog } from './collecting-log';
import { type Failing, failable } from './failable-storage';
import { newIdentity, ScriptedDevice } from './scripted-device';

export function newSecrets(): Secrets {
  return {
    accessKey: createSecretKey(randomBytes(32)),
    accessKeyId: 'k1',
    refreshSecret: createSecretKey(randomBytes(32)),
    auditKey: createSecretKey(randomBytes(32)),
  };
}

export interface TestProduct {
  productLogin: string;
  productKey: string;
  enrolmentCode: string;
}

export interface TestServerOptions {
  /** `loopback`, so that a test may come from many addresses. */
  trustedProxies?: 'loopback';
  tls?: { cert: Buffer; key: Buffer };
  /** The server's: the machine's, unless a test moves it. */
  clock?: Clock;
  writeLimits?: Partial<WriteLimits>;
  /** Instead of the usual ones. */
  settings?: Partial<ServerSettings>;
  disk?: DiskWatchOptions;
  checkpointKeeper?: CheckpointKeeper;
  /** Of a server that was stopped; a fresh one if absent. */
  dataDir?: string;
  /** Another database than a SQLite of its own. `bus`: it is shared with other servers, of the same secrets. */
  storage?: Storage;
  bus?: MessageBus;
  secrets?: Secrets;
  onFailover?: (run: () => void) => void;
  /** The writer thread, if not the one that is shipped. */
  startThread?: StartWriterThread;
}

/** A write is given up later than in a server that is shipped: a machine that was late for a second would be answered 500. */
const WRITE_TIMEOUT_MS = 10_000;

/** A whole server in this process: real sockets, real SQLite in a fresh folder, only the wall clock can be moved. */
export class TestServer {
  readonly clock: Clock = systemClock;
  readonly log = collectingLog();
  readonly #options: TestServerOptions;
  readonly #failing: Failing = { now: false };
  readonly #secrets: Secrets;
  readonly #devices: ScriptedDevice[] = [];
  #folder = '';
  #storage: Storage | undefined;
  #server: RunningServer | undefined;
  #startedMs = 0;
  #jumpedMs = 0;
  #names = 0;

  constructor(options: TestServerOptions = {}) {
    this.#options = options;
    this.#secrets = options.secrets ?? newSecrets();
  }

  async start(): Promise<void> {
    const { dataDir, storage, startThread, secrets: _, settings, trustedProxies, ...more } = this.#options;
    this.#folder = dataDir ?? memoryFolder('rg-server-');
    const opened =
      storage ??
      (await openSqliteStorage({
        file: join(this.#folder, 'relaygate.db'),
        writerName: 'node-1',
        writeTimeoutMs: WRITE_TIMEOUT_MS,
        ...(startThread ? { startThread } : {}),
      }));
    this.#storage = failable(opened, this.#failing);
    this.#startedMs = systemClock.nowMs();
    this.#server = await startServer({
      settings: { ...readSettings({}), ...settings },
      address: { host: '127.0.0.1', port: 0 },
      trustedProxies: trustedProxies ? [trustedProxies] : [],
      storage: this.#storage,
      secrets: this.#secrets,
      tls: undefined,
      bus: undefined,
      log: this.log,
      clock: this.clock,
      wallClock: { epochMs: () => this.wallMs() },
      randomness: systemRandomness,
      writeLimits: {},
      ...more,
    });
  }

  get storage(): Storage {
    if (!this.#storage) throw new Error('the server has not started');
    return this.#storage;
  }

  /** For `relaygate-server` in another process. */
  get dataDir(): string {
    return this.#folder;
  }

  get changes(): RunningServer['changes'] {
    if (!this.#server) throw new Error('the server has not started');
    return this.#server.changes;
  }

  get url(): string {
    return this.#server?.url ?? '';
  }

  /** `keepDevices`: the server closes their links. */
  async stop({ keepDevices = false, keepData = false } = {}): Promise<void> {
    if (!keepDevices) for (const device of this.#devices) device.close();
    await this.#server?.stop();
    if (!keepData) rmSync(this.#folder, { recursive: true });
  }

  /** Rows of its refresh families. */
  familiesOf(clientId: string): number {
    const db = openSqlite(join(this.#folder, 'relaygate.db'), { readonly: true });
    const sql = 'SELECT COUNT(*) FROM refresh_families WHERE client_id = ?';
    const count = Number(db.prepare(sql).pluck().get(clientId));
    db.close();
    return count;
  }

  /** From now on the database answers neither reads nor writes. */
  failStorage(): void {
    this.#failing.now = true;
  }

  jumpWallClock(byMs: number): void {
    this.#jumpedMs += byMs;
  }

  async newClient(): Promise<KeyHolder & { clientKey: string }> {
    const clientId = `client-${++this.#names}`;
    const { keyId, clientKey } = newClientKey(systemRandomness);
    await this.storage.createClient({
      clientId,
      name: clientId,
      keyId,
      keyHash: hashClientKey(clientKey),
      createdAtMs: Date.now(),
    });
    return { clientId, keyId, clientKey };
  }

  /** An access token of a new client. */
  async newToken(): Promise<string> {
    return (await this.newClientWithToken()).token;
  }

  async newClientWithToken(): Promise<{ clientId: string; token: string }> {
    const client = await this.newClient();
    return { clientId: client.clientId, token: this.tokenOf(client) };
  }

  /** A new access token of this client; it counts for ten minutes. */
  tokenOf(client: KeyHolder): string {
    return this.#signToken(client, this.wallMs());
  }

  expiredToken(): string {
    return this.#signToken({ clientId: 'client-1', keyId: 'k' }, this.wallMs() - 3_600_000);
  }

  /** Four outputs; activated throughout unless the options say otherwise. */
  async newProduct({ productLogin = `gate-${++this.#names}`, activated = true } = {}): Promise<TestProduct> {
    const [productKey, enrolmentCode] = [newProductKey(systemRandomness), newEnrolmentCode(systemRandomness)];
    const hashes = { keyHash: hashProductKey(productKey), enrolmentHash: hashEnrolmentCode(enrolmentCode) };
    const names = { productId: newProductId(systemRandomness), productLogin };
    await this.storage.createProduct({ ...names, ...hashes, outputCount: 4, activated, createdAtMs: Date.now() });
    return { productLogin, productKey, enrolmentCode };
  }

  async associate(token: string, { productLogin, productKey }: TestProduct): Promise<void> {
    const answer = await v1(this.url).addProduct(productLogin, productKey, { token });
    if (answer.status !== 201) throw new Error(`not associated: ${answer.status} ${answer.text}`);
  }

  async linkDevice({ productLogin, enrolmentCode }: TestProduct): Promise<ScriptedDevice> {
    const device = new ScriptedDevice(this.url, newIdentity(productLogin, enrolmentCode));
    this.#devices.push(device);
    return device.linkUp();
  }

  /** While `body` runs, the database answers neither reads nor writes; or `only` fails. */
  async whileStorageFails(body: () => Promise<void>, only?: keyof Storage): Promise<void> {
    this.#failing.now = only ?? true;
    try {
      await body();
    } finally {
      this.#failing.now = false;
    }
  }

  /** Waits until the server no longer counts every product as just lost. */
  async untilOfflineCounts(): Promise<void> {
    const leftMs = this.#startedMs + 5_100 - systemClock.nowMs();
    if (leftMs > 0) await pause(leftMs);
  }

  async untilState(
    { productLogin }: TestProduct,
    token: string,
    wanted: (state: ProductState) => boolean,
  ): Promise<ProductState> {
    return found(async () => {
      const state = (await v1(this.url).state(productLogin, { token })).json as ProductState;
      return wanted(state) ? state : undefined;
    });
  }

  async untilOutcome(answer: Answer, token: string, outcome: string): Promise<void> {
    const url = `${this.url}/api/v1/commands/${answer.headers.get('command-id')}`;
    await found(async () => {
      const { json } = await call('GET', url, undefined, { token });
      return (json as { outcome?: string }).outcome === outcome || undefined;
    });
  }

  /** Waits until the database has the outcome of the command. */
  async untilWritten(commandId: string): Promise<void> {
    await found(async () => (await this.storage.findCommand(commandId))?.outcome !== 'pending' || undefined);
  }

  /** Waits until the product's command slot is taken. */
  async untilInFlight({ productLogin }: TestProduct, token: string): Promise<void> {
    await found(async () => (await v1(this.url).set(productLogin, 3, 0, { token })).status === 409 || undefined);
  }

  async untilAnswer(path: string, status: number): Promise<Answer> {
    return found(async () => {
      const answer = await call('GET', this.url + path);
      return answer.status === status ? answer : undefined;
    });
  }

  /** The HTTP status that a WebSocket upgrade is refused with, 101 when it is not. */
  async upgradeStatus(path: string, headers: Record<string, string>): Promise<number> {
    const key = randomBytes(16).toString('base64');
    const upgrade = {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': key,
    };
    const upgrading = request(this.url + path, { headers: { ...upgrade, ...headers } }).end();
    const [response] = await Promise.race([once(upgrading, 'response'), once(upgrading, 'upgrade')]);
    upgrading.destroy();
    return response.statusCode;
  }

  /** The server's wall clock. */
  wallMs(): number {
    return Date.now() + this.#jumpedMs;
  }

  #signToken({ clientId, keyId }: KeyHolder, atMs: number): string {
    const { accessKey: key, accessKeyId: kid } = this.#secrets;
    return signAccessToken({ key, kid, issuer: 'relaygate' }, { clientId, keyId }, 'test', atMs);
  }
}

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const server = new TestServer(options);
  await server.start();
  return server;
}
