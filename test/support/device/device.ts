/** A device of its own in a fresh short folder under the system's temp folder: guard, agent and relayctl as users run them. */

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeviceSettings, OutputSettings } from '@relaygate/shared/device';
import { memoryFolder } from '../processes/memory-folder';
import { type Exit, Program } from '../processes/program';
import { guardStarted } from '../processes/watched-guards';
import { pause } from '../time/waiting';
import { type Edge, EdgeLog } from './edge-log';

export interface DeviceFolders {
  /** Settings, state, identity, the simulated board and its edge log. */
  dataDir: string;
  /** Sockets and journal; short, for a socket's path may have 100 bytes. */
  runDir: string;
}

/** The simulated board moves its relays in files, which on a busy disk takes longer than any line of a real one. */
export function makeDeviceFolders(): DeviceFolders & { remove(): void } {
  const [dataDir, runDir] = [memoryFolder('rg-d-'), memoryFolder('rg-r-')];
  return {
    dataDir,
    runDir,
    remove() {
      for (const folder of [dataDir, runDir]) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Outputs 0 and 1 on-off, 2 and 3 impulse (500 ms), as on the demo's board. */
export const DEMO_OUTPUTS: readonly OutputSettings[] = [0, 1, 2, 3].map((numOutput) => ({
  name: `Output ${numOutput}`,
  mode: numOutput < 2 ? 'on-off' : 'impulse',
  pulseMs: 500,
  activeLevel: 'high',
  powerOn: 'off',
}));

/** Nobody listens there, so a device without a server only tries. */
export const NO_SERVER: DeviceSettings['link'] = {
  serverUrl: 'ws://127.0.0.1:9',
  serverName: 'relaygate',
  productLogin: 'test-product',
};

/** Writes `settings.json`; what is not given is as on the demo's board, without a server. */
export function writeDeviceSettings(dataDir: string, settings: Partial<DeviceSettings> = {}): DeviceSettings {
  const whole: DeviceSettings = {
    board: { kind: 'simulated' },
    outputs: [...DEMO_OUTPUTS],
    link: NO_SERVER,
    ...settings,
  };
  writeFileSync(join(dataDir, 'settings.json'), `${JSON.stringify(whole, null, 2)}\n`);
  return whole;
}

/** The demo's outputs, with changes at some of them. */
export function outputsWith(changes: Readonly<Record<number, Partial<OutputSettings>>>): OutputSettings[] {
  return DEMO_OUTPUTS.map((output, numOutput) => ({ ...output, ...changes[numOutput] }));
}

export function writeEnrolmentCode(dataDir: string, code: string): void {
  writeFileSync(join(dataDir, 'enrolment-code'), `${code}\n`, { mode: 0o600 });
}

export interface StartOptions extends DeviceFolders {
  /** Plays a power cut: another id is another boot. */
  bootIdFile?: string;
  env?: Readonly<Record<string, string>>;
}

/** Resolves when the guard's socket answers and every output is where the power-on policy wants it. */
export async function startGuard(options: StartOptions): Promise<Program> {
  const guard = await startReady('relaygate-guard', options);
  guardStarted(guard.pid);
  return guard;
}

/** Resolves when the agent's socket answers; link and guard may still be away. */
export function startAgent(options: StartOptions): Promise<Program> {
  return startReady('relaygate-agent', options);
}

/** Resolves once it has found its guard. */
export async function startAgentWithGuard(options: StartOptions): Promise<Program> {
  const agent = await startAgent(options);
  await agent.line(/guard reached/);
  return agent;
}

async function startReady(name: string, { dataDir, runDir, bootIdFile, env }: StartOptions): Promise<Program> {
  const args = ['--data', dataDir, '--run', runDir, ...(bootIdFile ? ['--boot-id-file', bootIdFile] : [])];
  const program = await Program.start({ name, file: `device-agent/bin/${name}.js`, args, ...(env ? { env } : {}) });
  await program.line(/ ready: /);
  return program;
}

export interface Ran extends Exit {
  stdout: string;
  stderr: string;
}

type DeviceProgram = 'relaygate-guard' | 'relaygate-agent' | 'relaygate-setup' | 'relaygate-helper' | 'relayctl';

/** Runs a program of the device to its end, whatever its exit code. */
/** In English, whatever the language of the machine that runs the tests. */
export async function run(name: DeviceProgram, args: string[], language = 'C'): Promise<Ran> {
  const printed = { stdout: '', stderr: '' };
  const program = await Program.start({
    name,
    file: `device-agent/bin/${name}.js`,
    args,
    env: { LC_ALL: language },
    onLine: (line, stream) => {
      printed[stream] += `${line}\n`;
    },
  });
  return { ...(await program.ended), ...printed };
}

export function relayctl(runDir: string, ...args: string[]): Promise<Ran> {
  return run('relayctl', ['--run', runDir, ...args]);
}

/** The path of the simulated board's edge log. */
export function edgeLogOf(dataDir: string): string {
  return join(dataDir, 'edges.jsonl');
}

export function readEdges(path: string): Edge[] {
  return new EdgeLog(path).edges();
}

/** From a relay's edge on to its edge off, on CLOCK_MONOTONIC. */
export interface Pulse {
  readonly onMs: number;
  readonly offMs: number;
}

/** One output's pulses, in order; a relay that is still energised counts as no pulse yet. */
export function spansOf(edges: readonly Edge[], output: number): Pulse[] {
  const own = edges.filter((edge) => edge.output === output);
  return own.flatMap((edge, n) => {
    const before = own[n - 1];
    return edge.level === 0 && before?.level === 1 ? [{ onMs: before.atMs, offMs: edge.atMs }] : [];
  });
}

/** The lengths of them. */
export function pulsesOf(edges: readonly Edge[], output: number): number[] {
  return spansOf(edges, output).map(({ onMs, offMs }) => offMs - onMs);
}

/** The first of them, and the only one. */
export function onlyPulse(edges: readonly Edge[], output: number): Pulse {
  const [pulse, ...more] = spansOf(edges, output);
  if (!pulse || more.length > 0) throw new Error(`not one pulse of output ${output}: ${JSON.stringify(edges)}`);
  return pulse;
}

/** Resolves with the edges once `isThere` says yes; looked at every 10 ms, for a file tells nobody that it has grown. */
export async function waitForEdges(
  path: string,
  isThere: (edges: Edge[]) => boolean,
  timeoutMs = 10_000,
): Promise<Edge[]> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const edges = readEdges(path);
    if (isThere(edges)) return edges;
    if (Date.now() > deadline) throw new Error(`not the edges waited for: ${JSON.stringify(edges)}`);
    await pause(10);
  }
}

/** Stops programs in the order given, then removes the folders. */
export async function stopDevice(
  programs: readonly (Program | undefined)[],
  folders?: { remove(): void },
): Promise<void> {
  for (const program of programs) {
    // A stopped (SIGSTOP) one would not hear.
    program?.kill('SIGCONT');
    if (program?.running) await program.stop();
  }
  folders?.remove();
}
