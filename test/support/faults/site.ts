/**
 * A server with the devices of some products, as processes that a test kills, cuts off and starts again by itself. The
 * oracle is the simulated boards' edge logs, the application's answers and what the database holds.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TokenPair } from '@relaygate/shared';
import { monotonicNowMs } from '@relaygate/shared/system';
import { Certificate } from '../processes/certificate';
import { LinkRelay } from '../processes/link-relay';
import { Program, runToEnd } from '../processes/program';
import { call, v1 } from '../server/api-client';
import { machine } from '../time/timed';
import { eventually } from '../time/waiting';
import type { Environment } from './device-programs';
import type { NetworkNamespace } from './network-namespace';
import { Pair, type PairOptions, type Provisioned } from './pair';
import { asOnItsOwn } from './priorities';
import { TlsTunnel } from './tls-tunnel';

const SERVER = 'server/bin/relaygate-server.js';
/** Starting one takes a core for a moment. */
const STARTED_AT_ONCE = 4;
/** Access tokens live for 10 minutes. */
const LOGIN_AGAIN_MS = 5 * 60_000;

export interface SiteOptions {
  /** How many products with a device each. */
  readonly pairs: number;
  /** A folder that the test removes itself; by default a new one, removed at the end. */
  readonly serverDir?: string;
  readonly serverEnv?: Environment;
  /** A PostgreSQL database instead of the file. */
  readonly databaseUrl?: string;
  readonly deviceEnv?: Environment;
  /** One a pair: the devices link over them by TLS, with no relay between. */
  readonly networks?: readonly NetworkNamespace[];
}

export class Site {
  readonly pairs: Pair[] = [];
  readonly lateness = machine;
  readonly #options: SiteOptions;
  #serverDir: string;
  readonly #relays: LinkRelay[] = [];
  #server: Program | undefined;
  readonly #certificate: Certificate | undefined;
  #tunnel: TlsTunnel | undefined;
  /** That of its first start, once it has started. */
  #port = 0;
  #kills = 0;
  #listeningSinceMs = 0;
  #clientKey = '';
  #loggedInMs = 0;
  token = '';
  refreshToken = '';

  static async start(options: SiteOptions): Promise<Site> {
    const site = new Site(options);
    try {
      await site.setUp();
      return site;
    } catch (error) {
      await site.stop();
      throw error;
    }
  }

  constructor(options: SiteOptions) {
    this.#options = options;
    this.#serverDir = options.serverDir ?? '';
    const { networks } = options;
    if (networks) this.#certificate = new Certificate('127.0.0.1', ...networks.map(({ hostAddress }) => hostAddress));
  }

  get url(): string {
    return this.#tunnel?.url ?? `http://127.0.0.1:${this.#port}`;
  }
  get port(): number {
    return this.#port;
  }
  get databaseFile(): string {
    return join(this.#serverDir, 'relaygate.db');
  }
  get server(): Program {
    if (!this.#server) throw new Error('not started yet');
    return this.#server;
  }

  /** Resolves when the server listens, always at the port of its first start. */
  async startServer(): Promise<void> {
    const { certFile, keyFile } = this.#certificate ?? {};
    const tls = certFile && keyFile ? { RELAYGATE_TLS_CERT: certFile, RELAYGATE_TLS_KEY: keyFile } : {};
    const listen = { RELAYGATE_LISTEN: `${certFile ? '0.0.0.0' : '127.0.0.1'}:${this.#port}` };
    const env = { ...this.#serverEnv(), ...tls, ...listen, ...this.#options.serverEnv };
    this.#server = await Program.start({ name: 'server', file: SERVER, args: ['start'], env });
    asOnItsOwn(this.#server.pid);
    this.lateness.watch(this.#server.pid);
    const [, port] = await this.#server.line(/listening on https?:\/\/\S+:(\d+)/);
    this.#port = Number(port);
    this.#listeningSinceMs = monotonicNowMs();
  }

  async killServer(): Promise<void> {
    this.#kills += 1;
    this.server.kill('SIGKILL');
    await this.server.ended;
  }

  /** How often it was killed. */
  get kills(): number {
    return this.#kills;
  }

  get listeningSinceMs(): number {
    return this.#listeningSinceMs;
  }

  async isReady(): Promise<boolean> {
    return (await call('GET', `${this.url}/readyz`).catch(() => undefined))?.status === 200;
  }

  async isUnready(): Promise<boolean> {
    return (await call('GET', `${this.url}/readyz`)).status === 503;
  }

  /** `relaygate-server ARGS --json`, beside the running server: one value a line that it prints. */
  async operator(...args: string[]): Promise<unknown> {
    return (await this.#operatorLines(args)).at(0);
  }

  /** On a slow machine one repetition may end, and the next begin, after the access token's time. */
  async stayLoggedIn(): Promise<void> {
    if (monotonicNowMs() - this.#loggedInMs > LOGIN_AGAIN_MS) await this.logIn();
  }

  /** Takes a new pair of tokens. */
  async logIn(): Promise<void> {
    const { json } = await call('POST', `${this.url}/api/v1/auth/login`, { clientKey: this.#clientKey });
    const { accessToken, refreshToken } = json as TokenPair;
    this.token = accessToken;
    this.refreshToken = refreshToken;
    this.#loggedInMs = monotonicNowMs();
  }

  /** Products with four outputs, activated; `count` from 1. */
  async createProducts(count: number): Promise<Provisioned[]> {
    const args = ['product', 'create', '--outputs', '4', '--activate-all', '--count', String(count)];
    return (await this.#operatorLines(args)) as Provisioned[];
  }

  /** The same, and associated. */
  async newProducts(count: number): Promise<Provisioned[]> {
    if (count === 0) return [];
    const products = await this.createProducts(count);
    for (const { productLogin, productKey } of products) {
      const { status } = await v1(this.url).addProduct(productLogin, productKey, { token: this.token });
      if (status !== 201) throw new Error(`not associated: ${status}`);
    }
    return products;
  }

  /** All at once, each from a device that has just been started: it comes back quickly when its link breaks. */
  async renewAgents(): Promise<void> {
    await inTurns(this.pairs, (pair) => pair.renewAgent());
  }

  async settle(): Promise<void> {
    await eventually(() => this.isReady());
    await Promise.all(this.pairs.map((pair) => pair.settle()));
  }

  async stop(): Promise<void> {
    await inTurns(this.pairs, (pair) => pair.stop());
    await this.#server?.stop();
    await Promise.all(this.#relays.map((relay) => relay.stop()));
    this.#tunnel?.stop();
    this.#certificate?.remove();
    if (this.#options.serverDir === undefined) rmSync(this.#serverDir, { recursive: true, force: true });
  }

  /** Starts the server, and a device for each product. */
  async setUp(): Promise<void> {
    this.#serverDir ||= mkdtempSync(join(tmpdir(), 'rg-s-'));
    await this.startServer();
    if (this.#certificate) this.#tunnel = await TlsTunnel.start(() => this.#port, this.#certificate.certFile);
    const client = (await this.operator('client', 'create', '--name', 'faults')) as { clientKey: string };
    this.#clientKey = client.clientKey;
    await this.logIn();
    const products = await this.newProducts(this.#options.pairs);
    await inTurns([...products.entries()], async ([number, product]) => {
      this.pairs[number] = await Pair.start(this, product, await this.#wayOf(number));
    });
  }

  /** How this pair's device gets to the server. */
  async #wayOf(number: number): Promise<PairOptions> {
    const env = this.#options.deviceEnv ?? {};
    const network = this.#options.networks?.[number];
    if (network && this.#certificate) {
      const link = {
        serverUrl: `wss://${network.hostAddress}:${this.#port}`,
        serverCaFile: this.#certificate.certFile,
      };
      return { link, env, through: network.through };
    }
    const relay = await LinkRelay.start(() => `ws://127.0.0.1:${this.#port}`);
    this.#relays.push(relay);
    return { link: { serverUrl: relay.url }, relay, env };
  }

  async #operatorLines(args: readonly string[]): Promise<unknown[]> {
    const launch = { name: args.join(' '), file: SERVER, args: [...args, '--json'], env: this.#serverEnv() };
    const printed = await runToEnd(launch);
    try {
      return [JSON.parse(printed)];
    } catch {
      return printed.split('\n').map((line): unknown => JSON.parse(line));
    }
  }

  #serverEnv(): Environment {
    // The disks that tests fill or cut off are far smaller than a server's.
    const smallDisk = { RELAYGATE_DISK_WARNING_MIB: '0', RELAYGATE_DISK_LOW_MIB: '0' };
    const { databaseUrl } = this.#options;
    return {
      ...(databaseUrl === undefined ? {} : { RELAYGATE_DATABASE_URL: databaseUrl }),
      RELAYGATE_DATA_DIR: this.#serverDir,
      RELAYGATE_SERVER_NAME: 'relaygate',
      // Some tests give commands as fast as they are answered.
      RELAYGATE_PRODUCT_COMMANDS_PER_MINUTE: '999999',
      RELAYGATE_CLIENT_COMMANDS_PER_MINUTE: '999999',
      ...smallDisk,
    };
  }
}

/** A few at a time. */
async function inTurns<T>(items: readonly T[], body: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await body(item);
  };
  await Promise.all(Array.from({ length: STARTED_AT_ONCE }, worker));
}
