import { randomUUID } from 'node:crypto';
import { cpSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { monotonicNowMs } from '@relaygate/shared/system';
import { edgeLogOf, makeDeviceFolders } from '../device/device';
import { type Edge, EdgeLog } from '../device/edge-log';
import { Program, runToEnd } from '../processes/program';
import { guardStarted } from '../processes/watched-guards';
import { eventually, pause } from '../time/waiting';
import type { Downtime } from './judgement';
import { atFullPriority, QUIETLY } from './priorities';

/** What a copied card has not: the other board and what it did. */
const BOARD_FILES = ['edges.jsonl', 'board.json'];
const BOOT_ID = 'boot-id';

export type Environment = Readonly<Record<string, string>>;

export interface ProgramOptions {
  readonly env?: Environment;
  /** A command that runs the agent, such as `ip netns exec NAME`. */
  readonly through?: readonly string[];
}

/** A device as processes: its guard, its agent, and what its simulated board did. Not started. */
export class DevicePrograms {
  readonly folders = makeDeviceFolders();
  readonly #options: ProgramOptions;
  readonly #edgeLog = new EdgeLog(edgeLogOf(this.folders.dataDir));
  #bootIdArgs: string[] = [];
  #guard: Program | undefined;
  #agent: Program | undefined;
  #linkCount = 0;
  /** Since `mark`. */
  #downtimes: Downtime[] = [];
  #edgesBefore = 0;
  /** The ids of the guards that have run since `mark`. */
  #guards: number[] = [];

  constructor(options: ProgramOptions) {
    this.#options = options;
  }

  /** What is on the other's card, on another Raspberry Pi with another board. */
  copyCardOf(other: DevicePrograms): void {
    cpSync(other.folders.dataDir, this.folders.dataDir, {
      recursive: true,
      filter: (source) => !BOARD_FILES.includes(basename(source)),
    });
    // Another Raspberry Pi, so another boot.
    writeFileSync(join(this.folders.dataDir, BOOT_ID), randomUUID());
    this.#bootIdArgs = ['--boot-id-file', join(this.folders.dataDir, BOOT_ID)];
  }

  get guard(): Program {
    return started(this.#guard);
  }
  get agent(): Program {
    return started(this.#agent);
  }

  /** `way`: QUIETLY where nobody waits for it. */
  async startGuard(way: readonly string[] = []): Promise<void> {
    this.#guard = await this.#startProgram('relaygate-guard', way);
    guardStarted(this.#guard.pid);
    this.#guards.push(this.#guard.pid);
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
    return this.agent.line(pattern);
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
    const all = ['--run', this.folders.runDir, ...args, '--json'];
    return JSON.parse(await runToEnd({ name: 'relayctl', file, args: all }));
  }

  /** From here on counts. */
  mark(): void {
    this.#downtimes = [];
    this.#edgesBefore = this.#edgeLog.edges().length;
    this.#guards = [this.guard.pid];
  }

  get downtimes(): readonly Downtime[] {
    return this.#downtimes;
  }

  /** What the relays did since `mark`. */
  edges(): Edge[] {
    return this.#edgeLog.edges().slice(this.#edgesBefore);
  }

  /** The same as soon as there are so many. */
  async untilEdges(count: number): Promise<Edge[]> {
    await eventually(() => this.edges().length >= count);
    return this.edges();
  }

  /** Of all outputs, from their last edges. */
  levels(): Map<number, number> {
    return new Map(this.#edgeLog.edges().map(({ output, level }) => [output, level]));
  }

  get guards(): readonly number[] {
    return this.#guards;
  }

  /** Stopped (SIGSTOP) programs go on. */
  wake(): void {
    this.agent.kill('SIGCONT');
    this.guard.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    await stopped(this.#agent);
    await stopped(this.#guard);
    this.folders.remove();
  }

  async #startProgram(name: string, through: readonly string[]): Promise<Program> {
    const { dataDir, runDir } = this.folders;
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
    await program.line(/ ready: /);
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

function started(program: Program | undefined): Program {
  if (!program) throw new Error('not started yet');
  return program;
}
