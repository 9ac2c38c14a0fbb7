import { Agent } from '@relaygate/device-agent/agent/agent';
import { openIdentity } from '@relaygate/device-agent/agent/identity-file';
import { readSettings } from '@relaygate/device-agent/files/settings-file';
import { openGuard } from '@relaygate/device-agent/guard/open-guard';
import { serveGuard } from '@relaygate/device-agent/guard/serve-guard';
import type { DialLink } from '@relaygate/device-agent/link/link-socket';
import type { DialLines, ServeLines } from '@relaygate/device-agent/local/line-connection';
import type { Log } from '@relaygate/device-agent/program/log';
import { ed25519Identity } from '@relaygate/device-agent/system/ed25519-identity';
import { parseDeviceSettings, parseGuardSettings } from '@relaygate/shared';
import type { SeededChance } from '../support/seeded-chance';
import { Board } from './board';
import { Connection, type Way } from './connection';
import type { DeviceSetup } from './device-setup';
import { Disk, TMPFS } from './disk';
import type { Incarnation } from './incarnation';
import { type LinkRecord, recordLink } from './link-record';
import { MachineClock } from './machine-clock';
import { Direction } from './pipe';
import type { LinkFilter } from './sabotage/sabotage';
import { SERVER_NAME } from './server-node';
import type { Stage } from './stage';
import { Supervisor } from './supervisor';

const DRIFT = 90e-6;
const SETTINGS_PATH = '/data/settings.json';
const STATE_PATH = '/data/state.json';
const CODE_PATH = '/data/enrolment-code';
const IDENTITY_PATH = '/data/identity.json';
const JOURNAL_PATH = `${TMPFS}journal`;

/** One machine with relays: its power, clock, disk and board, and the two processes on it. */
export class Device {
  readonly setup: DeviceSetup;
  readonly clock: MachineClock;
  readonly disk: Disk;
  readonly board: Board;
  readonly way: Way;
  readonly guard: Supervisor;
  readonly agent: Supervisor;
  readonly #world: Stage;
  readonly #chance: SeededChance;
  readonly #localWay: Way;
  #boots = 0;
  #claimedKey: string | null = null;
  #hasPower = false;
  #guardSocket: { life: Incarnation; serve: ServeLines } | null = null;
  #connections: Connection[] = [];

  constructor(world: Stage, setup: DeviceSetup) {
    const { name, outputs } = setup;
    this.#world = world;
    this.setup = setup;
    this.#chance = world.chance.fork(`device ${name}`);
    this.clock = new MachineClock((this.#chance.fraction() * 2 - 1) * DRIFT, this.#chance.between(1, 10_000_000));
    const fork = (what: string): SeededChance => world.chance.fork(`${what} ${name}`);
    this.disk = new Disk(fork('disk'), (text) => this.#noteStarts(text));
    this.board = new Board(name, {
      scheduler: world.scheduler,
      chance: fork('board'),
      outputs,
      log: (edge) => {
        world.history.edges.push(edge);
        world.trace(
          () =>
            `edge ${name} output ${edge.output} ${edge.active ? 'on' : 'off'} (${edge.cause}, ${this.#commandOf(edge.notAfterMs)})`,
        );
      },
    });
    this.way = { up: new Direction(fork('up'), 5, 25), down: new Direction(fork('down'), 5, 25) };
    this.#localWay = {
      up: new Direction(fork('to guard'), 0.03, 0.15),
      down: new Direction(fork('of guard'), 0.03, 0.15),
    };
    const parts = { world, clock: this.clock, bootId: () => this.bootId };
    this.guard = new Supervisor(`guard ${name}`, { ...parts, start: (life) => this.#startGuard(life) });
    this.agent = new Supervisor(`agent ${name}`, { ...parts, start: (life) => this.#startAgent(life) });
    this.disk.put(SETTINGS_PATH, this.#settingsText());
    this.disk.put(CODE_PATH, `${setup.enrolmentCode}\n`);
  }

  get bootId(): string {
    return this.#world.sabotage.bootId?.(this.#trueBootId) ?? this.#trueBootId;
  }

  get #trueBootId(): string {
    return `${this.setup.name}-boot-${this.#boots}`;
  }

  get hasPower(): boolean {
    return this.#hasPower;
  }

  /** The link's connections that have not ended, newest last. */
  get connections(): readonly Connection[] {
    this.#connections = this.#connections.filter(({ isOpen }) => isOpen);
    return this.#connections;
  }

  /** A card copied from another device's. */
  copyCard(of: Device): void {
    this.#claimedKey = null;
    this.disk.put(IDENTITY_PATH, of.disk.textOf(IDENTITY_PATH));
    this.disk.put(CODE_PATH, null);
  }

  /** A card of somebody else, who claims to be another device; `forges`: by its key, without being able to sign. */
  pretend(of: Device, forges: boolean): void {
    const identity = of.disk.textOf(IDENTITY_PATH);
    this.#claimedKey = forges && identity !== null ? JSON.parse(identity).publicKey : null;
    this.disk.put(IDENTITY_PATH, null);
    this.disk.put(CODE_PATH, null);
  }

  /** The file of the settings names a mode that there is not. Returns what mends it. */
  spoilSettings(): () => void {
    const text = this.disk.textOf(SETTINGS_PATH);
    const spoilt = text?.replaceAll(/"mode": ?"[a-z-]+"/g, '"mode":"sometimes"') ?? '';
    this.disk.put(SETTINGS_PATH, spoilt);
    return () => {
      if (this.disk.textOf(SETTINGS_PATH) === spoilt) this.disk.put(SETTINGS_PATH, text);
    };
  }

  /** The installer puts a new code on the card. */
  putEnrolmentCode(code: string): void {
    this.disk.put(CODE_PATH, `${code}\n`);
  }

  powerOn(): void {
    if (this.#hasPower) return;
    this.#hasPower = true;
    this.#boots += 1;
    this.clock.boot(this.#world.scheduler.nowMs, this.#chance.between(1, 20_000));
    this.#world.trace(() => `${this.setup.name} boots: ${this.bootId}`);
    this.guard.up(this.#chance.between(50, 400));
    this.agent.up(this.#chance.between(50, 400));
  }

  cutPower(): void {
    if (!this.#hasPower) return;
    this.#hasPower = false;
    this.#world.trace(() => `${this.setup.name} loses power`);
    this.guard.powerOff();
    this.agent.powerOff();
    this.disk.cutPower();
    this.board.cutPower();
  }

  async #startGuard(life: Incarnation): Promise<void> {
    const world = this.#world;
    const { sabotage } = world;
    const plainFiles = this.disk.files(life);
    const files = sabotage.guardFiles?.(plainFiles, world) ?? plainFiles;
    this.#noteStart();
    const { settings } = await readSettings(files, SETTINGS_PATH, parseGuardSettings);
    const driver = this.board.driver(life);
    const log = this.#log(this.guard.name);
    const guard = await openGuard(settings.outputs, {
      clock: sabotage.guardClock?.(life) ?? life,
      driver: sabotage.driver?.(driver, this, world) ?? driver,
      files,
      log,
      bootId: this.bootId,
      statePath: STATE_PATH,
      journalPath: JOURNAL_PATH,
      checkWritable: async () => {},
    });
    if (life.isAlive) this.#guardSocket = { life, serve: serveGuard(guard, log) };
  }

  async #startAgent(life: Incarnation): Promise<void> {
    const files = this.disk.files(life);
    const { settings, text } = await readSettings(files, SETTINGS_PATH, parseDeviceSettings);
    const identity = await openIdentity(files, IDENTITY_PATH, this.#chance, ed25519Identity);
    const agent = new Agent({
      clock: life,
      randomness: this.#chance,
      files,
      log: this.#log(this.agent.name),
      dialGuard: this.#dialGuard(life),
      dialLink: this.#dialLink(life),
      settings,
      settingsText: text,
      settingsPath: SETTINGS_PATH,
      enrolmentCodePath: CODE_PATH,
      identity,
      version: '0.1.0',
      bootId: this.bootId,
    });
    agent.start();
  }

  #dialGuard(life: Incarnation): DialLines {
    const { scheduler, sabotage } = this.#world;
    return (events) => {
      let close = (): void => {};
      let send = (_line: string): void => {};
      let isCancelled = false;
      scheduler.in(0.1, () => {
        life.deliver(() => {
          const socket = this.#guardSocket;
          if (isCancelled) return events.closed(null);
          if (!socket?.life.isAlive) return events.closed({ code: 'ECONNREFUSED', message: 'nobody listens' });
          const connection = new Connection(scheduler, { dialler: life, server: socket.life }, this.#localWay);
          const { dialler, server } = connection;
          dialler.listen({ text: (line) => events.line(line), closed: () => events.closed(null) });
          server.tap = (line) => this.#noteVerdicts(line);
          const serving = socket.serve({ send: (line) => server.send(line), close: () => server.close(null) });
          server.listen({
            text: (line) => {
              const heard = sabotage.toGuard ? sabotage.toGuard(line) : line;
              this.#noteRequest(line);
              if (heard !== null) serving.line(heard);
            },
            closed: () => serving.closed(null),
          });
          send = (line) => dialler.send(line);
          close = () => dialler.close(null);
          events.opened();
        });
      });
      return {
        send: (line) => send(line),
        close: () => {
          isCancelled = true;
          close();
        },
      };
    };
  }

  #dialLink(life: Incarnation): DialLink {
    const { scheduler, server, sabotage } = this.#world;
    return (events) => {
      let connection: Connection | null = null;
      let filter: LinkFilter | undefined;
      let isCancelled = false;
      const refuse = (): void =>
        life.deliver(() => {
          if (!isCancelled) events.closed(null, 'connection refused');
        });
      const arrive = (): void => {
        const { up, down } = this.way;
        if (isCancelled || !life.isAlive) return;
        if (up.isBlocked) return up.whenOpen(() => scheduler.in(up.delayMs(), arrive));
        if (down.isBlocked) return down.whenOpen(() => scheduler.in(down.delayMs(), arrive));
        const { listening } = server;
        if (!listening) return void scheduler.in(down.delayMs(), refuse);
        const made = new Connection(scheduler, { dialler: life, server: listening.life }, this.way);
        const of = { machine: this.setup.name, productLogin: this.setup.productLogin };
        const link = recordLink(made, of, () => scheduler.nowMs);
        made.server.tap = (text) => this.#noteFrame(text, link);
        connection = made;
        this.#connections.push(made);
        filter = sabotage.agentLink?.(this, this.#world, (text) => life.deliver(() => events.text(text)));
        made.dialler.listen({
          text: (text) => {
            if (text.startsWith('{"type":"time"')) link.timesMs.push(scheduler.nowMs);
            const heard = filter?.received ? filter.received(text) : text;
            if (heard !== null) events.text(heard);
          },
          closed: (code) =>
            events.closed(code, code === null ? 'the connection broke' : `closed by the server (${code})`),
        });
        listening.life.deliver(() => server.accept(made, link));
        scheduler.in(down.delayMs(), () => life.deliver(() => made.dialler.isOpen && events.opened()));
      };
      scheduler.in(this.way.up.delayMs() * 2, arrive);
      return {
        send: (text) => {
          const said = filter?.sent ? filter.sent(this.#claimed(text)) : this.#claimed(text);
          if (said !== null) connection?.dialler.send(said);
        },
        terminate: () => {
          if (connection) return connection.dialler.close(null);
          if (isCancelled) return;
          isCancelled = true;
          queueMicrotask(() => life.attempt(() => events.closed(null, 'given up')));
        },
      };
    };
  }

  /** An impostor's hello names the key that the server knows, which is not the one it signs with. */
  #claimed(text: string): string {
    if (this.#claimedKey === null || !text.startsWith('{"type":"hello"')) return text;
    return JSON.stringify({ ...JSON.parse(text), publicKey: this.#claimedKey });
  }

  #noteFrame(text: string, link: LinkRecord): void {
    const { history, scheduler } = this.#world;
    const { productLogin } = this.setup;
    const atMs = scheduler.nowMs;
    if (text.startsWith('{"type":"command"')) {
      const { commandId, epoch } = JSON.parse(text);
      history.sent.push({ atMs, productLogin, commandId, epoch });
      this.#world.trace(() => `server sends to ${this.setup.name}: ${text}`);
    } else if (text.startsWith('{"type":"welcome"')) {
      link.epoch = JSON.parse(text).epoch;
      history.welcomes.push({ atMs, productLogin, epoch: JSON.parse(text).epoch });
      this.#world.trace(() => `server welcomes ${this.setup.name}: ${text}`);
    }
  }

  #noteStart(): void {
    const { history, scheduler } = this.#world;
    const { outputs } = JSON.parse(this.disk.textOf(SETTINGS_PATH) ?? '{"outputs":[]}');
    const state = JSON.parse(this.disk.textOf(STATE_PATH) ?? 'null');
    history.guardStarts.push({
      machine: this.setup.name,
      atMs: scheduler.nowMs,
      bootId: this.#trueBootId,
      outputs,
      state,
    });
  }

  /** The journal's lines, before they are written: from then on the edge may come. */
  #noteStarts(text: string): void {
    const { history, scheduler } = this.#world;
    for (const line of text.split('\n')) {
      if (!line.startsWith('{"started"')) continue;
      const { started: commandId, startBeforeMs } = JSON.parse(line);
      history.starts.push({ machine: this.setup.name, commandId, startBeforeMs, atMs: scheduler.nowMs });
    }
  }

  /** What the agent asks of the guard. */
  #noteRequest(line: string): void {
    const { history, scheduler } = this.#world;
    const at = { machine: this.setup.name, atMs: scheduler.nowMs };
    if (line.includes('"type":"epoch"')) history.guardEpochs.push({ ...at, epoch: JSON.parse(line).epoch });
    if (!line.includes('"type":"execute"')) return;
    const { commandId, epoch } = JSON.parse(line);
    if (epoch !== null) history.executes.push({ ...at, commandId, epoch });
  }

  #noteVerdicts(line: string): void {
    if (!line.includes('"outcome"')) return;
    const { history, scheduler } = this.#world;
    const { value } = JSON.parse(line);
    const said: { commandId: string; outcome: string }[] = value?.outcomes ?? [value];
    for (const { commandId, outcome } of said) {
      if (outcome === undefined) continue;
      history.verdicts.push({ machine: this.setup.name, commandId, outcome, atMs: scheduler.nowMs });
      this.#world.trace(() => `guard ${this.setup.name} says of ${commandId}: ${outcome}`);
    }
  }

  #commandOf(notAfterMs: number | null): string {
    if (notAfterMs === null) return 'no command';
    const start = this.#world.history.starts.find(
      (s) => s.machine === this.setup.name && s.startBeforeMs === notAfterMs,
    );
    return start?.commandId ?? 'unknown command';
  }

  #settingsText(): string {
    const { productLogin, outputs } = this.setup;
    const link = { serverUrl: 'wss://relaygate.example', serverName: SERVER_NAME, productLogin };
    return `${JSON.stringify({ board: { kind: 'simulated' }, outputs, link })}\n`;
  }

  #log(name: string): Log {
    const at = (level: string) => (text: string) => this.#world.trace(() => `${name} ${level}: ${text}`);
    return { info: at('info'), warn: at('warn') };
  }
}
