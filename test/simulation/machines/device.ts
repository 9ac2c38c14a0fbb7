import { openAgent } from '@relaygate/device-agent/agent/agent';
import { finishBegunReset } from '@relaygate/device-agent/agent/begun-reset';
import { openIdentity } from '@relaygate/device-agent/agent/link/identity-file';
import { dataPathsIn } from '@relaygate/device-agent/files/data-paths';
import { FactoryReset } from '@relaygate/device-agent/files/factory-reset';
import { refuseHalfReset } from '@relaygate/device-agent/files/reset-mark';
import { SealableFiles } from '@relaygate/device-agent/files/sealable-files';
import { readSettings } from '@relaygate/device-agent/files/settings-file';
import { openGuard } from '@relaygate/device-agent/guard/open-guard';
import { serveGuard } from '@relaygate/device-agent/guard/serve-guard';
import type { Log } from '@relaygate/device-agent/runtime/log';
import { parseDeviceSettings, parseGuardSettings } from '@relaygate/shared/device';
import type { SeededChance } from '../../support/chance/seeded-chance';
import { WebInMemory } from '../../support/device/web-in-memory';
import type { LocalSocket } from '../people/technician';
import { Board } from '../ports/board';
import type { Connection, Way } from '../ports/connection';
import { ConsoleLine } from '../ports/console-line';
import { dialGuard } from '../ports/dial-guard';
import { dialLink } from '../ports/dial-link';
import { Disk, STATE_PATH, TMPFS } from '../ports/disk';
import type { Page } from '../ports/page';
import { Direction } from '../ports/pipe';
import { DeviceWitness } from '../witnesses/device-witness';
import { Card, HISTORY_PATH, IDENTITY_PATH, RESET_MARK_PATH, SETTINGS_PATH } from './card';
import type { DeviceSetup } from './device-setup';
import { mayStop } from './guard-stop';
import type { Incarnation } from './incarnation';
import { MachineClock } from './machine-clock';
import { WALL_START_MS } from './server-node';
import type { Stage } from './stage';
import { Supervisor } from './supervisor';

const DRIFT = 90e-6;
const JOURNAL_PATH = `${TMPFS}journal`;
const EVENTS_PATH = `${TMPFS}events`;

/** One machine with relays: its power, clock, disk and board, and the two processes on it. */
export class Device {
  readonly setup: DeviceSetup;
  readonly clock: MachineClock;
  readonly disk: Disk;
  readonly card: Card;
  readonly board: Board;
  readonly way: Way;
  readonly consoleLine: ConsoleLine;
  readonly guard: Supervisor;
  readonly agent: Supervisor;
  readonly #world: Stage;
  readonly #chance: SeededChance;
  readonly localWay: Way;
  readonly #witness: DeviceWitness;
  #boots = 0;
  #hasPower = false;
  #guardSocket: LocalSocket | null = null;
  #agentSocket: LocalSocket | null = null;
  #page: Page | null = null;
  /** A factory reset has come to its end, as far as anybody can see. */
  whenWiped: () => void = () => {};
  #connections: Connection[] = [];
  #historyWrittenMs = Number.NEGATIVE_INFINITY;
  #historyRefusedMs = Number.NEGATIVE_INFINITY;

  constructor(world: Stage, setup: DeviceSetup) {
    const { name, outputs, inputs, reads } = setup;
    this.#world = world;
    this.setup = setup;
    this.#witness = new DeviceWitness(world, setup);
    this.#chance = world.chance.fork(`device ${name}`);
    this.clock = new MachineClock((this.#chance.fraction() * 2 - 1) * DRIFT, this.#chance.between(1, 10_000_000));
    const fork = (what: string): SeededChance => world.chance.fork(`${what} ${name}`);
    this.disk = new Disk(
      fork('disk'),
      (text, isWritten) => this.#witness.journal(text, isWritten),
      (path, isDurable) => {
        if (isDurable && path === HISTORY_PATH) this.#historyWrittenMs = world.scheduler.nowMs;
        this.#witness.card(path, isDurable, this.disk, this.card);
        if (path === RESET_MARK_PATH && !this.card.isReset && !this.card.hasSettings) this.whenWiped();
      },
      (path) => {
        if (path === HISTORY_PATH) this.#historyRefusedMs = world.scheduler.nowMs;
      },
    );
    this.board = new Board(name, {
      scheduler: world.scheduler,
      chance: fork('board'),
      outputs,
      inputs,
      reads,
      log: this.#witness.board(this.clock),
    });
    this.way = { up: new Direction(fork('up'), 5, 25), down: new Direction(fork('down'), 5, 25) };
    this.localWay = {
      up: new Direction(fork('to guard'), 0.03, 0.15),
      down: new Direction(fork('of guard'), 0.03, 0.15),
    };
    const parts = { world, clock: this.clock, bootId: () => this.bootId };
    this.guard = new Supervisor(`guard ${name}`, { ...parts, start: (life) => this.#startGuard(life) });
    this.agent = new Supervisor(`agent ${name}`, { ...parts, start: (life) => this.#startAgent(life) });
    this.card = new Card(this.disk, setup);
    this.consoleLine = new ConsoleLine(world.scheduler);
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

  /** In true time, the last time that its agent did. */
  get historyWrittenMs(): number {
    return this.#historyWrittenMs;
  }

  /** The same of its disk's refusal to take that. */
  get historyRefusedMs(): number {
    return this.#historyRefusedMs;
  }

  /** Of the agent: where relayctl asks. */
  get socket(): LocalSocket | null {
    return this.#agentSocket;
  }

  /** Of the agent: what browsers find. */
  get page(): Page | null {
    return this.#page;
  }

  /** The link's connections that have not ended, newest last. */
  get connections(): readonly Connection[] {
    this.#connections = this.#connections.filter(({ isOpen }) => isOpen);
    return this.#connections;
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

  async #startGuard(life: Incarnation): Promise<() => Promise<void>> {
    const world = this.#world;
    const { sabotage } = world;
    const plainFiles = this.#witness.guardStart(this.#trueBootId, this.disk.textOf(STATE_PATH), this.disk.files(life));
    const files = sabotage.guardFiles?.(plainFiles, world) ?? plainFiles;
    if (this.setup.isReset) await refuseHalfReset(files, '/data');
    const { settings } = await readSettings(files, SETTINGS_PATH, parseGuardSettings);
    const driver = this.board.driver(life);
    const log = this.#log(this.guard.name);
    const guard = await openGuard(settings.outputs, {
      clock: sabotage.guardClock?.(life) ?? life,
      driver: sabotage.driver?.(driver, this, world) ?? driver,
      files,
      log,
      bootId: this.bootId,
      ...(settings.inputs ? { inputs: settings.inputs } : {}),
      statePath: STATE_PATH,
      journalPath: JOURNAL_PATH,
      checkWritable: async () => {},
    });
    if (life.isAlive) this.#guardSocket = { life, serve: serveGuard(guard, log, () => this.guard.stop()) };
    return async () => {
      const stuck = await guard.stop();
      const text = this.disk.textOf(JOURNAL_PATH) ?? '';
      world.history.lastJournals.push({ machine: this.setup.name, atMs: world.scheduler.nowMs, text });
      world.trace(() => `${this.guard.name} stops${stuck.length > 0 ? `, and ${stuck} stay on` : ''}`);
    };
  }

  async #startAgent(life: Incarnation): Promise<() => Promise<void>> {
    const plainFiles = this.disk.files(life);
    const files = this.#world.sabotage.agentFiles?.(plainFiles, this.#world) ?? plainFiles;
    const factoryReset = new FactoryReset(files, '/data', [EVENTS_PATH]);
    const log = this.#log(this.agent.name);
    const dial = dialGuard(this.#world, life, {
      way: this.localWay,
      witness: this.#witness,
      socket: () => this.#guardSocket,
    });
    if (this.setup.isReset && (await factoryReset.isBegun())) {
      mayStop(this.#world, this.guard.name, life);
      const lockGuardOut = async () => (this.guard.life ? null : { release: async () => {} });
      await finishBegunReset({ factoryReset, dialGuard: dial, lockGuardOut, clock: life, log });
      throw new Error('the factory reset that was begun is finished');
    }
    const { settings, text } = await readSettings(files, SETTINGS_PATH, parseDeviceSettings);
    const identity = await openIdentity(files, IDENTITY_PATH, this.#chance, (seed) => this.#world.identities.of(seed));
    const wallClock = { epochMs: () => WALL_START_MS + this.#world.scheduler.nowMs, isSet: () => true };
    const web = new WebInMemory();
    const agent = await openAgent({
      clock: life,
      wallClock,
      randomness: this.#chance,
      hashPin: async (pin) => Buffer.from(pin),
      files: new SealableFiles(files),
      paths: dataPathsIn('/data'),
      eventsPath: EVENTS_PATH,
      log,
      settings,
      settingsText: text,
      bootId: this.bootId,
      dialGuard: dial,
      dialLink: dialLink(this.#world, life, {
        device: this,
        witness: this.#witness,
        opened: (connection) => this.#connections.push(connection),
      }),
      openSerial: this.consoleLine.open(life, this.#world.scheduler.nowMs),
      web: web.adapters,
      diagnose: () => Promise.reject(new Error('no doctor is here')),
      siteProfile: async () => null,
      factoryReset,
      onReset: () => this.agent.stop(),
      identity,
      version: '0.1.0',
    });
    agent.start();
    if (life.isAlive) this.#agentSocket = { life, serve: agent.serveLocal() };
    if (life.isAlive) this.#page = { life, web, fromMs: this.#world.scheduler.nowMs };
    return async () => {
      await agent.stop();
      await agent.records.history.written();
    };
  }

  #log(name: string): Log {
    const at = (level: string) => (text: string) => this.#world.trace(() => `${name} ${level}: ${text}`);
    return { info: at('info'), warn: at('warn') };
  }
}
