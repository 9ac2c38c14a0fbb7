import { randomUUID } from 'node:crypto';
import { cpSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { LinkSettings, ProductState } from '@relaygate/shared';
import { monotonicNowMs } from '@relaygate/shared/system';
import { type Edge, EdgeLog } from '../../demo/edge-log';
import { commandsIn, lastRecordIn } from '../command-log';
import { edgeLogOf, makeDeviceFolders, writeDeviceSettings, writeEnrolmentCode } from '../device/device';
import { eventually } from '../eventually';
import type { Lateness } from '../lateness';
import type { LinkRelay } from '../link-relay';
import { Program, runToEnd } from '../processes';
import { processorWaitsMs } from '../processor-wait';
import { pause } from '../running-demo';
import { type Answer, call, v1 } from '../server/api-client';
import { type Call, callOf, type Wish } from './call';
import { type Downtime, violationsOf } from './judgement';
import { atFullPriority, QUIETLY } from './priorities';

const START_MS = 20_000;
/** A device that has failed to link a few times waits up to half a minute before the next try. */
const RESOLVED_WITHIN_MS = 60_000;
/** No outcome yet, but one may still come. */
const OPEN = ['pending', 'unknown'];
/** What a copied card has not: the other board and what it did. */
const BOARD_FILES = ['edges.jsonl', 'board.json'];
/** Of the demo's outputs; the two after it are impulse outputs. */
export const PULSED = 2;
const BOOT_ID = 'boot-id';

export type Environment = Readonly<Record<string, string>>;
export interface Provisioned {
  productLogin: string;
  productKey: string;
  enrolmentCode: string;
}

/** The server that a pair's device links to, as its applications see it. */
interface Surroundings {
  readonly url: string;
  readonly token: string;
  readonly databaseFile: string;
  /** How often the server was killed. */
  readonly kills: number;
  readonly listeningSinceMs: number;
  readonly lateness: Lateness;
}

export interface PairOptions {
  readonly link: Pick<LinkSettings, 'serverUrl' | 'serverCaFile'>;
  /** Between agent and server; none where they talk over a network of their own. */
  readonly relay?: LinkRelay;
  readonly env?: Environment;
  /** A command that runs the agent, such as `ip netns exec NAME`. */
  readonly through?: readonly string[];
}

/** A guard and an agent as processes, with the product that they speak for and the calls that applications make to it. */
export class Pair {
  readonly productLogin: string;
  readonly #site: Surroundings;
  readonly #options: PairOptions;
  readonly #folders = makeDeviceFolders();
  readonly #edgeLog = new EdgeLog(edgeLogOf(this.#folders.dataDir));
  #bootIdArgs: string[] = [];
  #guard: Program | undefined;
  #agent: Program | undefined;
  /** Of this repetition. */
  #calls: Call[] = [];
  #downtimes: Downtime[] = [];
  /** Of the guard that runs, when it was ready or the repetition began. */
  #guardWaits: ReturnType<typeof processorWaitsMs> = new Map();
  #linkCount = 0;
  #edgesBefore = 0;
  #recordsBefore = 0;
  #killsBefore = 0;

  constructor(site: Surroundings, product: Pick<Provisioned, 'productLogin'>, options: PairOptions) {
    this.#site = site;
    this.#options = options;
    this.productLogin = product.productLogin;
  }

  /** Enrols and links. */
  static async start(site: Surroundings, product: Provisioned, options: PairOptions): Promise<Pair> {
    const pair = new Pair(site, product, options);
    const { dataDir } = pair.#folders;
    const link = { ...options.link, serverName: 'relaygate', productLogin: product.productLogin };
    writeDeviceSettings(dataDir, { link });
    writeEnrolmentCode(dataDir, product.enrolmentCode);
    await pair.startGuard(QUIETLY);
    await pair.startAgent(QUIETLY);
    return pair;
  }

  /** A card that was copied: another board, guard and agent with this one's key. Not started. */
  copied(): Pair {
    const copy = new Pair(this.#site, this, this.#options);
    cpSync(this.#folders.dataDir, copy.#folders.dataDir, {
      recursive: true,
      filter: (source) => !BOARD_FILES.includes(basename(source)),
    });
    // Another Raspberry Pi, so another boot.
    writeFileSync(join(copy.#folders.dataDir, BOOT_ID), randomUUID());
    copy.#bootIdArgs = ['--boot-id-file', join(copy.#folders.dataDir, BOOT_ID)];
    return copy;
  }

  get relay(): LinkRelay {
    return there(this.#options.relay);
  }
  get guard(): Program {
    return there(this.#guard);
  }
  get agent(): Program {
    return there(this.#agent);
  }

  /** `way`: QUIETLY where nobody waits for it. */
  async startGuard(way: readonly string[] = []): Promise<void> {
    this.#guard = await this.#startProgram('relaygate-guard', way);
    this.#guardWaits = processorWaitsMs(this.#guard.pid);
  }

  async startAgent(way: readonly string[] = []): Promise<void> {
    this.#agent = await this.#startProgram('relaygate-agent', [...(this.#options.through ?? []), ...way]);
  }

  /** A new one has no failed tries behind it, so it comes back within a second when its link breaks. */
  async renewAgent(): Promise<void> {
    await stopped(this.#agent);
    await this.startAgent(QUIETLY);
    await this.untilLinked();
  }

  async stopAgent(): Promise<void> {
    await stopped(this.#agent);
  }

  /** As its agent says. */
  async untilLinked(): Promise<void> {
    await this.agentSays(/link up/);
  }

  /** How often its agents have linked. */
  get linkCount(): number {
    return this.#linkCount;
  }

  /** What this agent has said, or will within 20 s. */
  agentSays(pattern: RegExp): Promise<RegExpMatchArray> {
    return this.agent.line(pattern, START_MS);
  }

  /** The agent stops where it is, as in a machine that swaps or is suspended. */
  async stallAgent(ms: number): Promise<{ goesOnMs: number }> {
    this.agent.kill('SIGSTOP');
    await pause(ms);
    const goesOnMs = monotonicNowMs();
    this.agent.kill('SIGCONT');
    return { goesOnMs };
  }

  async killAgent(): Promise<void> {
    this.agent.kill('SIGKILL');
    await this.agent.ended;
  }

  /** Kills the guard and starts another one; resolves when that is ready. */
  async replaceGuard(): Promise<Downtime> {
    const fromMs = monotonicNowMs();
    this.guard.kill('SIGKILL');
    await this.guard.ended;
    const startedMs = monotonicNowMs();
    await this.startGuard();
    const downtime = { fromMs, startedMs, readyMs: monotonicNowMs() };
    this.#downtimes.push(downtime);
    return downtime;
  }

  /** `relayctl ARGS --json` on the device. */
  async relayctl(...args: string[]): Promise<unknown> {
    const file = 'device-agent/bin/relayctl.js';
    const all = ['--run', this.#folders.runDir, ...args, '--json'];
    return JSON.parse(await runToEnd({ name: 'relayctl', file, args: all }));
  }

  set(numOutput: number, state: 0 | 1): Promise<Call> {
    const { url, token } = this.#site;
    return this.#call(numOutput, `set ${state}`, () => v1(url).set(this.productLogin, numOutput, state, { token }));
  }

  toggle(numOutput: number): Promise<Call> {
    const { url, token } = this.#site;
    return this.#call(numOutput, 'toggle', () => v1(url).toggle(this.productLogin, numOutput, { token }));
  }

  /** As the API tells it. */
  async state(): Promise<ProductState> {
    const { json } = await v1(this.#site.url).state(this.productLogin, { token: this.#site.token });
    return json as ProductState;
  }

  /** What `GET /commands/{id}` says became of it. */
  async outcomeOf({ commandId }: Pick<Call, 'commandId'>): Promise<string> {
    const { url, token } = this.#site;
    const { json } = await call('GET', `${url}/api/v1/commands/${commandId}`, undefined, { token });
    return (json as { outcome: string }).outcome;
  }

  async isConnected(): Promise<boolean> {
    return (await this.state().catch(() => undefined))?.connected === true;
  }

  untilConnected(connected = true): Promise<void> {
    return eventually(async () => (await this.isConnected()) === connected, RESOLVED_WITHIN_MS);
  }

  /** What the relays did in this repetition. */
  edges(): Edge[] {
    return this.#edgeLog.edges().slice(this.#edgesBefore);
  }

  /** The edges of this repetition as soon as there are so many. */
  async untilEdges(count: number): Promise<Edge[]> {
    await eventually(() => this.edges().length >= count);
    return this.edges();
  }

  /** All of this product's commands in this repetition, as the database holds them. */
  commands(): ReturnType<typeof commandsIn> {
    const { productLogin } = this;
    return commandsIn(this.#site.databaseFile, { after: this.#recordsBefore, productLogin });
  }

  /** The link up and whole, on-off outputs off, pulses over, nothing yet on record: where each repetition begins. */
  async settle(): Promise<void> {
    this.#options.relay?.heal();
    this.agent.kill('SIGCONT');
    this.guard.kill('SIGCONT');
    await this.untilConnected();
    for (const numOutput of [0, 1]) await eventually(async () => (await this.set(numOutput, 0)).status === 200);
    await this.#untilAtRest();
    this.begin();
  }

  /** From here on counts. */
  begin(): void {
    this.#calls = [];
    this.#downtimes = [];
    this.#guardWaits = processorWaitsMs(this.guard.pid);
    this.#edgesBefore = this.#edgeLog.edges().length;
    this.#recordsBefore = lastRecordIn(this.#site.databaseFile);
    this.#killsBefore = this.#site.kills;
  }

  /** Waits until the device has told what became of each command, and its pulses are over. */
  async untilResolved(): Promise<void> {
    await eventually(() => this.commands().every(({ outcome }) => !OPEN.includes(outcome)), RESOLVED_WITHIN_MS);
    await eventually(() => [...this.#levels()].every(([output, level]) => output < PULSED || level === 0));
  }

  /** This repetition by the invariants, together with what copies of this device's card did. */
  violations(copies: readonly Pair[] = []): string[] {
    return violationsOf({
      boards: [this, ...copies].map((pair) => pair.edges()),
      calls: this.#calls.toSorted((one, other) => one.sentMs - other.sentMs),
      commands: this.commands(),
      guardDowntimes: this.#downtimes,
      serverDied: this.#site.kills > this.#killsBefore,
      listeningSinceMs: this.#site.listeningSinceMs,
      lateness: this.#site.lateness,
      guardWaitedMs: Math.max(...[this, ...copies].map((pair) => pair.#guardWaitedMs())),
    });
  }

  async stop(): Promise<void> {
    await stopped(this.#agent);
    await stopped(this.#guard);
    this.#folders.remove();
  }

  /** By the thread that waited longest. */
  #guardWaitedMs(): number {
    const waits = [...processorWaitsMs(this.guard.pid)];
    return Math.max(0, ...waits.map(([thread, waitMs]) => waitMs - (this.#guardWaits.get(thread) ?? 0)));
  }

  async #call(numOutput: number, wish: Wish, ask: () => Promise<Answer>): Promise<Call> {
    const calls = this.#calls;
    const done = await callOf(numOutput, wish, ask);
    calls.push(done);
    return done;
  }

  async #untilAtRest(): Promise<void> {
    await eventually(() => [...this.#levels().values()].every((level) => level === 0));
  }

  /** Of all outputs, from their last edges. */
  #levels(): Map<number, number> {
    return new Map(this.#edgeLog.edges().map(({ output, level }) => [output, level]));
  }

  async #startProgram(name: string, through: readonly string[]): Promise<Program> {
    const { dataDir, runDir } = this.#folders;
    const env = this.#options.env ?? {};
    const args = ['--data', dataDir, '--run', runDir, ...this.#bootIdArgs];
    const onLine = (line: string): void => {
      if (/link up/.test(line)) this.#linkCount += 1;
    };
    const program = await Program.start({
      name,
      file: `device-agent/bin/${name}.js`,
      args,
      env,
      through,
      onLine,
    });
    await program.line(/ ready: /, START_MS);
    atFullPriority(program.pid);
    return program;
  }
}

async function stopped(program: Program | undefined): Promise<void> {
  if (!program?.running) return;
  // A stopped (SIGSTOP) one would not hear.
  program.kill('SIGCONT');
  await program.stop();
}

function there<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('not there');
  return part;
}
