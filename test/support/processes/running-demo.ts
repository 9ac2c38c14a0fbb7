import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Edge, EdgeLog } from '../device/edge-log';
import { type Answer, call, type Generation, legacy, v1 } from '../server/api-client';
import { eventually } from '../time/waiting';
import { Program, runToEnd } from './program';
import { guardStarted } from './watched-guards';

const START_LIMIT_MS = 60_000;
const PATIENCE_MS = 15_000;

export type Part = 'server' | 'guard' | 'agent';

/** What the demo prints with `--json` (design, "Names that other software relies on"). */
interface DemoFacts {
  baseUrl: string;
  clientKey: string;
  productLogin: string;
  productKey: string;
  dataDir: string;
  edgeLog: string;
  inputs: string;
  relayctl: string;
}

/** The demo as its user starts it: server, guard and agent as processes of their own, restarted 200 ms after a death. */
export class RunningDemo {
  readonly facts: DemoFacts;
  token = '';
  readonly #program: Program;
  readonly #edges: EdgeLog;
  #seenEdges = 0;

  static async start(): Promise<RunningDemo> {
    const program = await Program.start({ name: 'demo', file: 'test/demo/launch.mjs', args: ['--json'] });
    const [line] = await program.line(/^\{"baseUrl".*\}$/, START_LIMIT_MS);
    const facts: DemoFacts = JSON.parse(line);
    const demo = new RunningDemo(program, facts);
    await demo.#logIn();
    return demo;
  }

  private constructor(program: Program, facts: DemoFacts) {
    this.#program = program;
    this.facts = facts;
    this.#edges = new EdgeLog(facts.edgeLog);
  }

  async stop(): Promise<void> {
    await this.#program.stop(15_000);
  }

  get origin(): string {
    return this.facts.baseUrl.replace(/\/api$/, '');
  }

  get v1(): Generation {
    return v1(this.origin);
  }

  get legacy(): Generation {
    return legacy(this.origin);
  }

  set(numOutput: number, state: 0 | 1): Promise<Answer> {
    return this.v1.set(this.facts.productLogin, numOutput, state, { token: this.token });
  }

  toggle(numOutput: number): Promise<Answer> {
    return this.v1.toggle(this.facts.productLogin, numOutput, { token: this.token });
  }

  async state(): Promise<{
    connected: boolean;
    outputs: { state: number | null; pulseMs: number; name: string }[];
    inputs: { numInput: number; name: string; kind: string; state: string | null }[];
  }> {
    return (await this.v1.state(this.facts.productLogin, { token: this.token })).json as never;
  }

  signal(part: Part, signal: NodeJS.Signals): void {
    process.kill(this.pid(part), signal);
  }

  pid(part: Part): number {
    return JSON.parse(readFileSync(join(this.facts.dataDir, 'pids.json'), 'utf8'))[part];
  }

  /** Runs relayctl on the device and gives what it prints as JSON. */
  async relayctl(...args: string[]): Promise<unknown> {
    return JSON.parse(await this.relayctlText(...args, '--json'));
  }

  /** The same as people read it. */
  relayctlText(...args: string[]): Promise<string> {
    const file = 'device-agent/bin/relayctl.js';
    return runToEnd({ name: 'relayctl', file, args, env: this.relayctlEnv });
  }

  /** What makes relayctl find this device. */
  get relayctlEnv(): Record<string, string> {
    return Object.fromEntries(
      [...this.facts.relayctl.matchAll(/(RELAYGATE_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    );
  }

  /** The server's audit records of one kind, a line of JSON each. */
  async audit(kind: string): Promise<string[]> {
    const env = { RELAYGATE_DATA_DIR: join(this.facts.dataDir, 'server') };
    const args = ['audit', 'list', '--kind', kind, '--json'];
    const file = 'server/bin/relaygate-server.js';
    const printed = await runToEnd({ name: 'relaygate-server', file, args, env });
    return printed.split('\n').filter((line) => line !== '');
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

  async untilConnected(connected = true): Promise<void> {
    await eventually(async () => (await this.state().catch(() => undefined))?.connected === connected);
  }

  async #logIn(): Promise<void> {
    const { json } = await call('POST', `${this.facts.baseUrl}/v1/auth/login`, { clientKey: this.facts.clientKey });
    this.token = (json as { accessToken: string }).accessToken;
  }

  /** All outputs off, the link up, no edge unseen, a token that outlives a slow machine's test: where each test begins. */
  async settle(): Promise<void> {
    const loggedIn = async (): Promise<true> => this.#logIn().then(() => true);
    await eventually(() => loggedIn().catch(() => false));
    await this.untilConnected();
    await eventually(async () => (await this.state()).outputs.slice(2).every(({ state }) => state === 0));
    for (const numOutput of [0, 1]) await eventually(async () => (await this.set(numOutput, 0)).status === 200);
    this.newEdges();
    guardStarted(this.pid('guard'));
  }
}
