import { type Agent, openAgent } from '@relaygate/device-agent/agent/agent';
import type { DialLink } from '@relaygate/device-agent/agent/link/link-socket';
import type { Records } from '@relaygate/device-agent/agent/settings/open-records';
import type { DeviceStatus } from '@relaygate/device-agent/agent/technician/local-messages/device';
import type { LoggedEvent, LogReply } from '@relaygate/device-agent/agent/technician/local-messages/log';
import { dataPathsIn } from '@relaygate/device-agent/files/data-paths';
import { FactoryReset } from '@relaygate/device-agent/files/factory-reset';
import type { RemovableFiles } from '@relaygate/device-agent/files/files';
import { SealableFiles } from '@relaygate/device-agent/files/sealable-files';
import type { Guard } from '@relaygate/device-agent/guard/guard';
import { openGuard } from '@relaygate/device-agent/guard/open-guard';
import { serveGuard } from '@relaygate/device-agent/guard/serve-guard';
import type { DialLines, ServeLines } from '@relaygate/device-agent/ipc/line-connection';
import { RequestClient } from '@relaygate/device-agent/ipc/request-client';
import { ed25519Identity } from '@relaygate/device-agent/platform/ed25519-identity';
import type { OpenSerial } from '@relaygate/device-agent/serial/serial-port';
import { EXECUTION_DEADLINE_MS, type HistoryEntry } from '@relaygate/shared';
import { type DeviceSettings, parseDeviceSettings } from '@relaygate/shared/device';
import { settled, VirtualClock } from '../time/virtual-clock';
import { NO_SERVER, outputsWith } from './device';
import { FakeBoard } from './fake-board';
import { portsOf } from './guard-in-memory';
import { dialInMemory } from './line-pair';
import { MemoryFiles } from './memory-files';
import { quietLog } from './quiet-log';
import { ScriptedServer } from './scripted-server';
import { WebInMemory } from './web-in-memory';

const SETTINGS: DeviceSettings = { board: { kind: 'simulated' }, outputs: outputsWith({}), link: NO_SERVER };
export const SETTINGS_PATH = '/data/settings.json';
export const LOCKS_PATH = '/data/locks.json';
export const CODE_PATH = '/data/enrolment-code';
export const PROOF_PATH = '/data/proof.json';
export const HISTORY_PATH = '/data/history.jsonl';
export const LAST_GOOD_TIME_PATH = '/data/last-good-time.json';
export const PIN_PATH = '/data/pin.json';
export const EVENTS_PATH = '/run/events.jsonl';
/** By then the agent has reached its guard and its server, and its first report is sent. */
const LINKED_MS = 200;

/** An agent and a guard in this process, with a scripted server and a virtual clock: only the ports are other ones. */
export class AgentInMemory {
  readonly clock = new VirtualClock();
  readonly files = new MemoryFiles();
  board = new FakeBoard(this.clock, SETTINGS.outputs.length);
  readonly server = new ScriptedServer(this.clock);
  /** How the agent reaches its server: the scripted one, unless a test has another. */
  dialLink: DialLink = (events) => this.server.dial(events);
  readonly wallClock = { epochMs: () => this.wallMs + this.clock.nowMs(), isSet: () => this.isClockSet };
  /** Whether somebody has set the wall clock. */
  isClockSet = true;
  /** At the clock's origin. */
  wallMs = Date.UTC(2026, 2, 1);
  bootId = 'boot-1';
  /** The guard takes connections and lines, and answers nothing. */
  isGuardHung = false;
  /** What the agent says is lost on its way to the guard. */
  isGuardDeaf = false;
  /** What becomes of a line on its way from the guard. */
  fromGuard = (line: string): string => line;
  /** The machine's serial ports: none, unless a test plugs one in. */
  openSerial: OpenSerial = () => Promise.reject(new Error('it is not there'));
  /** What the technician's page has of the machine. */
  readonly web = new WebInMemory();
  /** Ends the agent's connection to the guard. */
  cutGuard = (): void => {};
  /** null: the guard is down. */
  #guardServes: ServeLines | null = null;
  #agent: Agent | null = null;
  /** Other bytes each time, for the guard takes a command of a known id for a repeated one. */
  #draws = 0;

  constructor() {
    this.files.texts.set(SETTINGS_PATH, JSON.stringify(SETTINGS));
  }

  /** A new one that is linked. */
  static async started(): Promise<AgentInMemory> {
    const device = new AgentInMemory();
    await device.start();
    return device;
  }

  /** Guard and agent, and the link that they have soon. */
  async start(): Promise<Guard> {
    const guard = await this.startGuard();
    await this.startAgent(LINKED_MS);
    return guard;
  }

  /** `ms`: how long it runs before the test goes on. */
  async startGuard(ms = 0): Promise<Guard> {
    const parsed = parseDeviceSettings(JSON.parse(this.files.texts.get(SETTINGS_PATH) ?? ''));
    if (!parsed.ok) throw new Error(parsed.problem);
    const { outputs, board, inputs } = parsed.value;
    const guard = await openGuard(outputs, { ...portsOf(this), board, ...(inputs ? { inputs } : {}) });
    const serves = serveGuard(guard, quietLog(), () => {
      if (this.#guardServes === serves) this.#guardServes = null;
    });
    this.#guardServes = serves;
    if (ms > 0) await this.passed(ms);
    return guard;
  }

  get records(): Records | null {
    return this.#agent?.records ?? null;
  }

  get hasGuard(): boolean {
    return this.#guardServes !== null;
  }

  /** As SIGKILL would: the connection ends, and nobody listens any more. */
  killGuard(): void {
    this.#guardServes = null;
    this.cutGuard();
  }

  /** Another board in its place, as it comes out of the box. */
  renewBoard(): void {
    this.board = new FakeBoard(this.clock, SETTINGS.outputs.length);
  }

  stopAgent(): void {
    void this.#agent?.stop();
  }

  /** Another agent in the same boot, `ms` after its start. */
  async restartAgent(ms: number): Promise<void> {
    this.stopAgent();
    await this.startAgent(ms);
  }

  /** The same with another guard. */
  async restartBoth(ms: number): Promise<void> {
    this.stopAgent();
    this.killGuard();
    await this.startGuard();
    await this.startAgent(ms);
  }

  /** `ms`: how long it runs before the test goes on. `files`: its own view of this device's files. */
  async startAgent(ms = 0, files: RemovableFiles = this.files): Promise<void> {
    const text = this.files.texts.get(SETTINGS_PATH) ?? '';
    this.#agent = await openAgent({
      clock: this.clock,
      wallClock: this.wallClock,
      randomness: { bytes: (size: number) => this.#bytes(size), fraction: () => 0.5 },
      hashPin: async (pin, salt) => Buffer.concat([Buffer.from(pin), salt]),
      files: new SealableFiles(files),
      paths: dataPathsIn('/data'),
      eventsPath: EVENTS_PATH,
      log: quietLog(),
      settings: JSON.parse(text),
      settingsText: text,
      bootId: this.bootId,
      dialGuard: this.dialGuard,
      dialLink: this.dialLink,
      openSerial: (settings, listener) => this.openSerial(settings, listener),
      web: this.web.adapters,
      diagnose: () => Promise.reject(new Error('no doctor is here')),
      siteProfile: async () => null,
      factoryReset: new FactoryReset(this.files, '/data', [EVENTS_PATH]),
      onReset: () => this.stopAgent(),
      identity: ed25519Identity(new Uint8Array(32).fill(1)),
      version: '0.1.0',
    });
    this.#agent.start();
    await this.passed();
    if (ms > 0) await this.passed(ms);
  }

  /** Lets everything happen that needs no time, and `ms` of it. */
  async passed(ms = 0): Promise<void> {
    for (let turn = 0; turn < 10; turn += 1) await settled();
    if (ms > 0) await this.clock.advance(ms);
    for (let turn = 0; turn < 10; turn += 1) await settled();
  }

  /** As relayctl sends it. */
  localRequest(type: string, body: object): Promise<unknown> {
    return this.ask(type, body).answer;
  }

  /** The same by somebody who may hang up before the answer. */
  ask(type: string, body: object): { answer: Promise<unknown>; hangUp(): void } {
    const notAfterMs = this.clock.nowMs() + EXECUTION_DEADLINE_MS;
    let hangUp = (): void => {};
    const answer = new Promise((resolve, reject) => {
      const connection = dialInMemory(() => this.#agent?.serveLocal() ?? null)({
        opened: () => void client.request(type, { notAfterMs, ...body, actor: 'a test' }, 20_000).then(resolve, reject),
        line: (text) => void client.takeLine(text),
        closed: () => client.end('closed'),
      });
      const client = new RequestClient(connection, this.clock);
      hangUp = () => connection.close();
    });
    return {
      answer,
      hangUp() {
        answer.catch(() => {});
        hangUp();
      },
    };
  }

  changeOutput(numOutput: number, change: object, force = false): Promise<unknown> {
    return this.localRequest('output', { numOutput, change, force });
  }

  async newPin(): Promise<string> {
    return ((await this.localRequest('new-pin', {})) as { pin: string }).pin;
  }

  async status(asked: object = {}): Promise<DeviceStatus> {
    return (await this.localRequest('status', asked)) as DeviceStatus;
  }

  async faultCodes(): Promise<string[]> {
    return (await this.status()).faults.map(({ code }) => code);
  }

  async faultTexts(): Promise<string[]> {
    return (await this.status()).faults.map(({ text }) => text);
  }

  async loggedEvents(asked: object = {}): Promise<LoggedEvent[]> {
    return ((await this.localRequest('log', { limit: 500, waitMs: 0, ...asked })) as LogReply).events;
  }

  /** The texts of one kind of event. */
  async logged(kind: LoggedEvent['kind']): Promise<string[]> {
    return (await this.loggedEvents()).filter((event) => event.kind === kind).map(({ text }) => text);
  }

  /** What stands in settings.json. */
  onDisk() {
    return JSON.parse(this.files.texts.get(SETTINGS_PATH) ?? '');
  }

  /** As a hand edits that file. */
  editSettings(change: object): void {
    this.files.texts.set(SETTINGS_PATH, JSON.stringify({ ...this.onDisk(), ...change }));
  }

  /** No two alike, and the same in every run. */
  #bytes(size: number): Uint8Array {
    this.#draws += 1;
    return new Uint8Array(size).fill(this.#draws % 256);
  }

  /** What the local API tells of the history. */
  async historyEntries(asked: object): Promise<HistoryEntry[]> {
    const reply = await this.localRequest('history', asked);
    if (typeof reply !== 'object' || reply === null || !('entries' in reply)) throw new Error('no history');
    return reply.entries as HistoryEntry[];
  }

  async lastEntry(): Promise<HistoryEntry | undefined> {
    return (await this.historyEntries({ limit: 1 })).at(-1);
  }

  /** How an agent reaches the guard. */
  readonly dialGuard: DialLines = (events) => {
    const dial = dialInMemory(() => this.#guardServes);
    const line = (text: string): void => (this.isGuardHung ? undefined : events.line(this.fromGuard(text)));
    const connection = dial({ ...events, line });
    this.cutGuard = () => connection.close();
    const send = (text: string): void => (this.isGuardDeaf ? undefined : connection.send(text));
    return { ...connection, send };
  };
}
