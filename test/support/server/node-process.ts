import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TokenPair } from '@relaygate/shared';
import { Program, runToEnd } from '../processes/program';
import { call, v1 } from './api-client';
import { copyCommonFiles } from './common-files';
import { type DeviceIdentity, newIdentity, ScriptedDevice } from './scripted-device';
import type { TestProduct } from './test-server';

const SERVER = 'server/bin/relaygate-server.js';

/** Servers that share a database and a broker, each a process with a data folder of its own. */
export class NodeProcesses {
  readonly #folder = mkdtempSync(join(tmpdir(), 'rg-nodes-'));
  readonly #env: Readonly<Record<string, string>>;
  readonly #programs = new Map<string, Program>();
  readonly #urls = new Map<string, string>();
  readonly #devices: ScriptedDevice[] = [];
  /** Products that no test has had. */
  readonly #unused: TestProduct[] = [];
  /** All that they print. */
  readonly lines: string[] = [];
  token = '';

  constructor(databaseUrl: string, natsUrl: string) {
    this.#env = { RELAYGATE_DATABASE_URL: databaseUrl, RELAYGATE_NATS_URL: natsUrl };
  }

  /** The first one makes the secrets. Resolves when it listens, always at the port of its first start. `env`: beside that of all. */
  async start(name: string, env: Readonly<Record<string, string>> = {}): Promise<Program> {
    const dataDir = join(this.#folder, name);
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const [first] = this.#urls.keys();
    if (first !== undefined && first !== name) copyCommonFiles(join(this.#folder, first), dataDir);
    const program = await Program.start({
      name,
      file: SERVER,
      args: ['start'],
      env: {
        ...this.envOf(name),
        RELAYGATE_LISTEN: new URL(this.#urls.get(name) ?? 'http://127.0.0.1:0').host,
        ...env,
      },
      onLine: (line) => this.lines.push(line),
    });
    const [, url = ''] = await program.line(/listening on (\S+)/);
    this.#programs.set(name, program);
    this.#urls.set(name, url);
    return program;
  }

  /** Nodes a, b and c. `envOfA`: as in `start`. */
  async startThree(envOfA: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.start('a', envOfA);
    await Promise.all([this.start('b'), this.start('c')]);
  }

  /** Of a node, without the port. */
  envOf(name: string): Record<string, string> {
    return {
      ...this.#env,
      RELAYGATE_DATA_DIR: join(this.#folder, name),
      RELAYGATE_NODE_NAME: name,
      RELAYGATE_DISK_WARNING_MIB: '0',
      RELAYGATE_DISK_LOW_MIB: '0',
    };
  }

  url(name: string): string {
    return this.#urls.get(name) ?? '';
  }

  program(name: string): Program {
    const program = this.#programs.get(name);
    if (!program) throw new Error(`no node ${name}`);
    return program;
  }

  /** An operator's command beside the nodes: one value a line that it prints. */
  async operator(...args: string[]): Promise<unknown[]> {
    const env = this.envOf([...this.#urls.keys()][0] ?? '');
    const printed = await runToEnd({ name: args.join(' '), file: SERVER, args: [...args, '--json'], env });
    return printed.split('\n').map((line): unknown => JSON.parse(line));
  }

  /** Products for `nextProduct` that a new client, `app`, is associated with; `token` is that client's. */
  async newProducts(name: string, count: number): Promise<void> {
    const create = ['product', 'create', '--outputs', '4', '--activate-all', '--count', String(count)];
    const products = (await this.operator(...create)) as TestProduct[];
    this.token = await this.newClient('app', name, products);
    this.#unused.push(...products);
  }

  nextProduct(): TestProduct {
    const next = this.#unused.pop();
    if (!next) throw new Error('more products');
    return next;
  }

  /** The access token of another client that has these products. `node`: where it logs in. */
  async newClient(clientName: string, node: string, products: readonly TestProduct[]): Promise<string> {
    const [client] = (await this.operator('client', 'create', '--name', clientName)) as { clientKey: string }[];
    const api = v1(this.url(node));
    const token = ((await api.login(client?.clientKey)).json as TokenPair).accessToken;
    for (const { productLogin, productKey } of products) {
      const { status } = await api.addProduct(productLogin, productKey, { token });
      if (status !== 201) throw new Error(`not associated: ${status}`);
    }
    return token;
  }

  identityOf({ productLogin, enrolmentCode }: TestProduct): DeviceIdentity {
    return newIdentity(productLogin, enrolmentCode);
  }

  async link(name: string, identity: DeviceIdentity): Promise<ScriptedDevice> {
    const device = new ScriptedDevice(this.url(name), identity);
    this.#devices.push(device);
    return device.linkUp();
  }

  async isConnected(name: string, { productLogin }: TestProduct): Promise<boolean> {
    const { json } = await v1(this.url(name)).state(productLogin, { token: this.token });
    return (json as { connected: boolean }).connected;
  }

  async warnings(name: string): Promise<string[]> {
    const { json } = await call('GET', `${this.url(name)}/readyz`);
    return (json as { warnings?: string[] }).warnings ?? [];
  }

  async stop(): Promise<void> {
    for (const device of this.#devices) device.close();
    const programs = [...this.#programs.values()].filter(({ running }) => running);
    for (const program of programs) program.kill('SIGCONT');
    await Promise.all(programs.map((program) => program.stop()));
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
