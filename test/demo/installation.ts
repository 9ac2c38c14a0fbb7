/** A server with one client and one product, and the device that belongs to it: made once, started each time. */
import { join } from 'node:path';
import { type Launch, ROOT, runToEnd } from '../support/processes/program';
import type { Supervisor } from '../support/processes/supervisor';
import { PlainApi } from '../support/server/plain-api';
import type { Credentials, DemoFolder } from './demo-folder';

const CLIENT_NAME = 'demo';
const PRODUCT_LOGIN = 'demo-gate';
const SERVER_NAME = 'relaygate';
const OUTPUT_MODES = ['on-off', 'on-off', 'impulse', 'impulse'];
const PULSE_MS = 500;
/** The shell lines of the report change these by their place in the file: 0, then 1. */
const INPUTS = [
  { kind: 'contact', numInput: 0, name: 'Gate closed' },
  { kind: 'button', numInput: 1, name: 'Exit', output: 2, action: 'pulse' },
];
/** The gate is closed, and nobody presses the button. */
const INPUT_LEVELS = ['low', 'high'];
const START_LIMIT_MS = 20_000;
const LINK_LIMIT_MS = 20_000;
const POLL_MS = 50;

const SERVER_FILE = 'server/bin/relaygate-server.js';
const GUARD_FILE = 'device-agent/bin/relaygate-guard.js';
const AGENT_FILE = 'device-agent/bin/relaygate-agent.js';
const RELAYCTL_FILE = 'device-agent/bin/relayctl.js';

/** A started demo: what a user needs to switch its outputs. */
export interface Installation {
  readonly api: PlainApi;
  readonly clientKey: string;
  readonly productLogin: string;
  readonly productKey: string;
  readonly accessToken: string;
  /** The first words of a command line: what comes behind them is a relayctl command for this device. */
  readonly relayctl: readonly string[];
  /** False: its folder is from before inputs, or somebody has changed them. */
  readonly hasDemoInputs: boolean;
}

/** Resolves when the server answers and the device is linked to it. `port` 0: a free one. */
export async function startInstallation(
  folder: DemoFolder,
  programs: Supervisor,
  port: number,
  say: (line: string) => void,
): Promise<Installation> {
  say('Starting the server ...');
  const origin = await startServer(folder, programs, port);
  const { clientKey, product } = await provision(folder);
  const { productLogin, productKey } = product;
  const hasDemoInputs = prepareDevice(folder, `ws://${origin}`, product);
  say('Starting the device, guard and agent, with a simulated board ...');
  await startDevice(folder, programs);
  const api = new PlainApi(`http://${origin}/api`);
  const accessToken = await api.login(clientKey);
  await api.addProduct(productLogin, productKey);
  await untilConnected(api, productLogin);
  const env = Object.entries(relayctlEnv(folder)).map(([name, value]) => `${name}=${value}`);
  const relayctl = ['env', ...env, process.execPath, join(ROOT, RELAYCTL_FILE)];
  return { api, clientKey, productLogin, productKey, accessToken, relayctl, hasDemoInputs };
}

/** Runs relayctl on the demo's device and gives what it prints. */
export function askRelayctl(folder: DemoFolder, ...args: string[]): Promise<string> {
  return runToEnd({ name: 'relayctl', file: RELAYCTL_FILE, args, env: relayctlEnv(folder) });
}

/** Where relayctl looks for the agent's socket, and its doctor for the device's files: options would have to stand behind its subcommand. */
function relayctlEnv({ runDir, deviceDir }: DemoFolder): Record<string, string> {
  return { RELAYGATE_DEVICE_RUN_DIR: runDir, RELAYGATE_DEVICE_DATA_DIR: deviceDir };
}

/** Gives host and port. A server that is started again comes back at the port of its first start. */
async function startServer(folder: DemoFolder, programs: Supervisor, wantedPort: number): Promise<string> {
  let origin = `127.0.0.1:${wantedPort}`;
  const launch = (): Launch => ({
    name: 'server',
    file: SERVER_FILE,
    args: ['start'],
    env: { ...serverEnv(folder), RELAYGATE_LISTEN: origin },
    detached: true,
    onLine: (line) => folder.appendLog('server', line),
  });
  try {
    const [, listening] = await programs.start(launch, /listening on http:\/\/(127\.0\.0\.1:\d+)/, START_LIMIT_MS);
    if (listening) origin = listening;
    return origin;
  } catch (error) {
    // The server's own words name its setting, not the demo's option.
    if (!(error instanceof Error && error.message.includes('port-in-use'))) throw error;
    throw new Error(`Port ${wantedPort} is in use by another program; choose another with --port.`, { cause: error });
  }
}

function serverEnv(folder: DemoFolder): Record<string, string> {
  return { RELAYGATE_DATA_DIR: folder.serverDir, RELAYGATE_SERVER_NAME: SERVER_NAME };
}

/** The server shows each secret once, so each is kept as soon as it exists. */
async function provision(folder: DemoFolder): Promise<Required<Credentials>> {
  const server = async (...args: string[]): Promise<unknown> => {
    const name = `relaygate-server ${args.slice(0, 2).join(' ')}`;
    return JSON.parse(await runToEnd({ name, file: SERVER_FILE, args: [...args, '--json'], env: serverEnv(folder) }));
  };
  const kept = folder.readCredentials();
  const clientKey = kept.clientKey ?? textOf(await server('client', 'create', '--name', CLIENT_NAME), 'clientKey');
  folder.writeCredentials({ ...kept, clientKey });
  if (kept.product) return { clientKey, product: kept.product };
  const outputs = String(OUTPUT_MODES.length);
  const made = await server('product', 'create', '--outputs', outputs, '--login', PRODUCT_LOGIN, '--activate-all');
  const product = {
    productLogin: textOf(made, 'productLogin'),
    productKey: textOf(made, 'productKey'),
    enrolmentCode: textOf(made, 'enrolmentCode'),
  };
  folder.writeCredentials({ clientKey, product });
  return { clientKey, product };
}

function textOf(answer: unknown, member: string): string {
  const value: unknown = typeof answer === 'object' && answer !== null ? Reflect.get(answer, member) : undefined;
  if (typeof value !== 'string') throw new Error(`the server's answer has no ${member}: ${JSON.stringify(answer)}`);
  return value;
}

/** Settings that are there stay, because relayctl may have changed them; only the server's address is set anew. Whether they have the demo's inputs. */
export function prepareDevice(
  folder: DemoFolder,
  serverUrl: string,
  product: Required<Credentials>['product'],
): boolean {
  const file = 'device/settings.json';
  const settings = folder.has(file)
    ? JSON.parse(folder.read(file))
    : {
        link: { serverName: SERVER_NAME, productLogin: product.productLogin },
        board: { kind: 'simulated' },
        outputs: OUTPUT_MODES.map((mode, numOutput) => ({
          name: `Output ${numOutput}`,
          mode,
          pulseMs: PULSE_MS,
          activeLevel: 'high',
          powerOn: 'off',
        })),
        inputs: INPUTS,
      };
  if (!folder.has(file)) folder.writeFile('device/enrolment-code', `${product.enrolmentCode}\n`);
  if (!folder.has('device/inputs.json')) folder.writeFile('device/inputs.json', `${JSON.stringify(INPUT_LEVELS)}\n`);
  settings.link.serverUrl = serverUrl;
  folder.writeFile(file, `${JSON.stringify(settings, null, 2)}\n`);
  return JSON.stringify(settings.inputs) === JSON.stringify(INPUTS);
}

async function startDevice(folder: DemoFolder, programs: Supervisor): Promise<void> {
  const launch = (name: string, file: string) => (): Launch => ({
    name,
    file,
    args: ['--data', folder.deviceDir, '--run', folder.runDir],
    detached: true,
    onLine: (line) => folder.appendLog(name, line),
  });
  await programs.start(launch('guard', GUARD_FILE), /\bready\b/, START_LIMIT_MS);
  await programs.start(launch('agent', AGENT_FILE), /link up/, LINK_LIMIT_MS);
}

async function untilConnected(api: PlainApi, productLogin: string): Promise<void> {
  const giveUpAtMs = performance.now() + LINK_LIMIT_MS;
  while (!(await api.isConnected(productLogin))) {
    if (performance.now() > giveUpAtMs) throw new Error('the server does not see the device as connected');
    await new Promise((resume) => setTimeout(resume, POLL_MS));
  }
}
