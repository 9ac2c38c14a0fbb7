import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { type Edge, EdgeLog } from '../device/edge-log';
import { type Generation, v1 } from '../server/api-client';
import { Program, runToEnd } from './program';

const SERVER_FILE = 'server/bin/relaygate-server.js';
const START_LIMIT_MS = 120_000;
const STOP_LIMIT_MS = 30_000;

/** What the cluster prints with `--json` (design, "Names that other software relies on"). */
export interface ClusterFacts {
  readonly baseUrl: string;
  readonly nodes: readonly { readonly name: string; readonly baseUrl: string; readonly pid: number }[];
  readonly clientKey: string;
  readonly products: readonly {
    readonly productLogin: string;
    readonly productKey: string;
    readonly edgeLog: string;
  }[];
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly dataDir: string;
}

/** The cluster as its user starts it: whoever dies is started again after 200 ms. */
export class RunningCluster {
  readonly facts: ClusterFacts;
  readonly #program: Program;
  readonly #logs: ReadonlyMap<string, EdgeLog>;

  static async start(...args: string[]): Promise<RunningCluster> {
    const file = 'test/cluster/launch.mjs';
    const program = await Program.start({ name: 'cluster', file, args: ['--json', ...args] });
    const [line] = await program.line(/^\{"baseUrl".*\}$/, START_LIMIT_MS);
    return new RunningCluster(program, JSON.parse(line));
  }

  private constructor(program: Program, facts: ClusterFacts) {
    this.#program = program;
    this.facts = facts;
    this.#logs = new Map(facts.products.map(({ productLogin, edgeLog }) => [productLogin, new EdgeLog(edgeLog)]));
  }

  /** As Ctrl-C does. Resolves with what is left of it: processes that still run, and whether the folder is there. */
  async stop(): Promise<{ readonly pids: readonly number[]; readonly hasFolder: boolean }> {
    const pids = this.#program.running ? Object.values(this.#pids()) : [];
    await this.#program.stop(STOP_LIMIT_MS);
    return { pids: pids.filter(isAlive), hasFolder: existsSync(this.facts.dataDir) };
  }

  get logins(): string[] {
    return this.facts.products.map(({ productLogin }) => productLogin);
  }

  /** The API of each server. */
  get servers(): Generation[] {
    return this.facts.nodes.map(({ baseUrl }) => apiAt(baseUrl));
  }

  get balancer(): Generation {
    return apiAt(this.facts.baseUrl);
  }

  edges(productLogin: string): Edge[] {
    return this.#logs.get(productLogin)?.edges() ?? [];
  }

  /** What all devices have logged of why they are not linked. */
  unlinked(): string[] {
    const logs = join(this.facts.dataDir, 'logs');
    const texts = readdirSync(logs).map((file) => readFileSync(join(logs, file), 'utf8'));
    return texts.flatMap((text) => [...text.matchAll(/not linked: [^;]*/g)].map(([why]) => why));
  }

  /** `relaygate-server ARGS`, on the database of the servers. */
  async operator(...args: string[]): Promise<void> {
    const { databaseUrl, dataDir } = this.facts;
    const env = { RELAYGATE_DATA_DIR: join(dataDir, 'node-1'), RELAYGATE_DATABASE_URL: databaseUrl };
    await runToEnd({ name: args.join(' '), file: SERVER_FILE, args, env });
  }

  /** The node at which each product's device is linked. */
  async linkNodes(): Promise<Map<string, string>> {
    const database = new Client({ connectionString: this.facts.databaseUrl });
    await database.connect();
    try {
      const { rows } = await database.query(
        'SELECT product_login, nodes.name FROM products JOIN nodes ON instance = link_node',
      );
      return new Map(rows.map((row) => [row.product_login, row.name]));
    } finally {
      await database.end();
    }
  }

  /** Of the program of this name, as it runs now. */
  pid(name: string): number {
    return this.#pids()[name] ?? 0;
  }

  #pids(): Record<string, number> {
    return JSON.parse(readFileSync(join(this.facts.dataDir, 'pids.json'), 'utf8'));
  }
}

const apiAt = (baseUrl: string): Generation => v1(baseUrl.replace(/\/api$/, ''));

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
