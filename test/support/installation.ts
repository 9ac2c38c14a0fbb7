/**
 * A server, a guard and an agent as processes that a test starts, kills and starts again by itself, with our relay on
 * the link between them. The oracle is the simulated board's edge log and what the database holds.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProductState, TokenPair } from '@relaygate/shared';
import { monotonicNowMs } from '@relaygate/shared/system';
import { type Edge, EdgeLog } from '../demo/edge-log';
import { edgeLogOf, makeDeviceFolders, writeDeviceSettings, writeEnrolmentCode } from './device/device';
import { LinkRelay } from './link-relay';
import { Program, runToEnd } from './processes';
import { type Answer, call, v1 } from './server/api-client';

const START_MS = 20_000;
const POLL_MS = 10;
const PATIENCE_MS = 15_000;

export type Environment = Readonly<Record<string, string>>;
export interface Provisioned {
  productLogin: string;
  productKey: string;
  enrolmentCode: string;
}
export interface InstallationOptions {
  /** A folder that the test removes itself; by default a new one, removed at the end. */
  readonly serverDir?: string;
  readonly serverEnv?: Environment;
  readonly deviceEnv?: Environment;
}

export class Installation {
  readonly #options: InstallationOptions;
  readonly #serverDir: string;
  readonly #device = makeDeviceFolders();
  readonly #edges = new EdgeLog(edgeLogOf(this.#device.dataDir));
  #relay: LinkRelay | undefined;
  #server: Program | undefined;
  #guard: Program | undefined;
  #agent: Program | undefined;
  #origin = '127.0.0.1:0';
  #seenEdges = 0;
  #clientKey = '';
  productLogin = '';
  token = '';
  refreshToken = '';

  static async start(options: InstallationOptions = {}): Promise<Installation> {
    const installation = new Installation(options);
    try {
      await installation.#setUp();
      return installation;
    } catch (error) {
      await installation.stop();
      throw error;
    }
  }

  private constructor(options: InstallationOptions) {
    this.#options = options;
    this.#serverDir = options.serverDir ?? mkdtempSync(join(tmpdir(), 'rg-s-'));
  }

  get url(): string {
    return `http://${this.#origin}`;
  }
  get databaseFile(): string {
    return join(this.#serverDir, 'relaygate.db');
  }
  get relay(): LinkRelay {
    return there(this.#relay);
  }
  get server(): Program {
    return there(this.#server);
  }
  get agent(): Program {
    return there(this.#agent);
  }

  /** Resolves when the server listens, always at the port of its first start. */
  async startServer(): Promise<void> {
    const env = { ...this.#serverEnv(), RELAYGATE_LISTEN: this.#origin, ...this.#options.serverEnv };
    this.#server = await Program.start({
      name: 'server',
      file: 'server/bin/relaygate-server.js',
      args: ['start'],
      env,
    });
    const [, origin] = await this.#server.line(/listening on http:\/\/(127\.0\.0\.1:\d+)/, START_MS);
    this.#origin = origin ?? this.#origin;
  }

  async startAgent(): Promise<void> {
    this.#agent = await this.#startDevice('relaygate-agent');
  }

  /** A new one has no failed tries behind it, so it comes back within a second when its link breaks. */
  async renewAgent(): Promise<void> {
    await this.agent.stop();
    await this.startAgent();
  }

  /** `relaygate-server ARGS --json`, beside the running server. */
  async operator(...args: string[]): Promise<unknown> {
    const file = 'server/bin/relaygate-server.js';
    const launch = { name: args.join(' '), file, args: [...args, '--json'], env: this.#serverEnv() };
    return JSON.parse(await runToEnd(launch));
  }

  /** Takes a new pair of tokens; access tokens live for 10 minutes. */
  async logIn(): Promise<void> {
    const { json } = await call('POST', `${this.url}/api/v1/auth/login`, { clientKey: this.#clientKey });
    const { accessToken, refreshToken } = json as TokenPair;
    this.token = accessToken;
    this.refreshToken = refreshToken;
  }

  async newProduct(): Promise<Provisioned> {
    const product = (await this.operator('product', 'create', '--outputs', '4', '--activate-all')) as Provisioned;
    const { status } = await v1(this.url).addProduct(product.productLogin, product.productKey, { token: this.token });
    if (status !== 201) throw new Error(`not associated: ${status}`);
    return product;
  }

  set(numOutput: number, state: 0 | 1): Promise<Answer> {
    return v1(this.url).set(this.productLogin, numOutput, state, { token: this.token });
  }

  toggle(numOutput: number): Promise<Answer> {
    return v1(this.url).toggle(this.productLogin, numOutput, { token: this.token });
  }

  /** As the API tells it. */
  async state(): Promise<ProductState> {
    return (await v1(this.url).state(this.productLogin, { token: this.token })).json as ProductState;
  }

  /** What `GET /commands/{id}` says became of it. */
  async outcomeOf(commandId: string | null): Promise<string> {
    const { json } = await call('GET', `${this.url}/api/v1/commands/${commandId}`, undefined, { token: this.token });
    return (json as { outcome: string }).outcome;
  }

  untilConnected(connected = true): Promise<void> {
    return eventually(async () => (await this.state().catch(() => undefined))?.connected === connected);
  }

  /** What the relays did since the last look. */
  newEdges(): Edge[] {
    const edges = this.#edges.edges().slice(this.#seenEdges);
    this.#seenEdges += edges.length;
    return edges;
  }

  /** The next `count` edges, as soon as they are there. */
  async nextEdges(count: number): Promise<Edge[]> {
    const edges = await this.#edges.since(this.#seenEdges, count, PATIENCE_MS);
    this.#seenEdges += edges.length;
    if (edges.length < count) throw new Error(`waited for ${count} edges, saw ${JSON.stringify(edges)}`);
    return edges;
  }

  /** The link up and whole, on-off outputs off, pulses over, no edge unseen: where each test begins. */
  async settle(): Promise<void> {
    this.relay.onFrame = () => {};
    this.relay.heal();
    await this.untilConnected();
    for (const numOutput of [0, 1]) await eventually(async () => (await this.set(numOutput, 0)).status === 200);
    await eventually(async () => this.#levels().every((level) => level === 0));
    this.newEdges();
  }

  async stop(): Promise<void> {
    for (const program of [this.#agent, this.#guard, this.#server]) await program?.stop();
    await this.#relay?.stop();
    this.#device.remove();
    if (this.#options.serverDir === undefined) rmSync(this.#serverDir, { recursive: true, force: true });
  }

  async #setUp(): Promise<void> {
    await this.startServer();
    this.#relay = await LinkRelay.start(() => `ws://${this.#origin}`);
    const client = (await this.operator('client', 'create', '--name', 'faults')) as { clientKey: string };
    this.#clientKey = client.clientKey;
    await this.logIn();
    const { productLogin, enrolmentCode } = await this.newProduct();
    this.productLogin = productLogin;
    const link = { serverUrl: this.#relay.url, serverName: 'relaygate', productLogin };
    writeDeviceSettings(this.#device.dataDir, { link });
    writeEnrolmentCode(this.#device.dataDir, enrolmentCode);
    this.#guard = await this.#startDevice('relaygate-guard');
    await this.startAgent();
    await this.untilConnected();
  }

  async #startDevice(name: string): Promise<Program> {
    const { dataDir, runDir } = this.#device;
    const args = ['--data', dataDir, '--run', runDir];
    const env = this.#options.deviceEnv ?? {};
    const program = await Program.start({ name, file: `device-agent/bin/${name}.js`, args, env });
    await program.line(/ ready: /, START_MS);
    return program;
  }

  #serverEnv(): Environment {
    return { RELAYGATE_DATA_DIR: this.#serverDir, RELAYGATE_SERVER_NAME: 'relaygate' };
  }

  /** Of all outputs, from their last edges. */
  #levels(): number[] {
    return [...new Map(this.#edges.edges().map(({ output, level }) => [output, level])).values()];
  }
}

/** Rejects when `done` has not come true within 15 s, or `patienceMs`. */
export async function eventually(done: () => Promise<boolean>, patienceMs = PATIENCE_MS): Promise<void> {
  const giveUpMs = monotonicNowMs() + patienceMs;
  while (!(await done())) {
    if (monotonicNowMs() > giveUpMs) throw new Error('waited in vain');
    await new Promise((resume) => setTimeout(resume, POLL_MS));
  }
}

export async function timed<T>(running: Promise<T>): Promise<{ answer: T; tookMs: number }> {
  const startMs = monotonicNowMs();
  return { answer: await running, tookMs: monotonicNowMs() - startMs };
}

function there<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('not started yet');
  return part;
}
