import { ActivityCounter } from '@relaygate/server/activity-counter';
import { composeCore } from '@relaygate/server/core';
import { DeviceLink, type DeviceLinkDeps } from '@relaygate/server/devices/device-link';
import type { Log } from '@relaygate/server/log/log';
import { readSettings } from '@relaygate/server/settings';
import type { SeededChance } from '../../support/chance/seeded-chance';
import type { Connection } from '../ports/connection';
import { commandsIn, type LinkRecord, reportIn } from '../witnesses/link-record';
import type { Incarnation } from './incarnation';
import { MachineClock } from './machine-clock';
import { SERVER_NAME } from './server-name';
import type { Stage } from './stage';
import { Supervisor } from './supervisor';
import type { OpenServer, ServerSide } from './surroundings';

const SERVER_DRIFT = 90e-6;
/** What its wall clock shows when a run begins. */
export const WALL_START_MS = Date.UTC(2026, 0, 1);

interface Listening extends OpenServer {
  linkDeps: DeviceLinkDeps;
  sessions: Set<DeviceLink>;
}

/** The one server: its core over simulated ports, its clocks, and who is connected to it. */
export class ServerNode implements ServerSide {
  readonly clock: MachineClock;
  readonly process: Supervisor;
  readonly #world: Stage;
  readonly #chance: SeededChance;
  #jumpedMs = 0;
  #boots = 1;
  #hasPower = true;
  #listening: Listening | null = null;

  constructor(world: Stage) {
    this.#world = world;
    this.#chance = world.chance.fork('server');
    this.clock = new MachineClock(
      (this.#chance.fraction() * 2 - 1) * SERVER_DRIFT,
      this.#chance.between(1_000, 1_000_000_000),
    );
    this.process = new Supervisor('server', {
      world,
      clock: this.clock,
      bootId: () => `server-boot-${this.#boots}`,
      start: (life) => this.#start(life),
    });
  }

  epochMs(): number {
    return WALL_START_MS + this.#jumpedMs + this.#world.scheduler.nowMs;
  }

  jumpWallClock(byMs: number): void {
    this.#jumpedMs += byMs;
    this.#world.history.wallJumps.push({ atMs: this.#world.scheduler.nowMs, jumpedMs: this.#jumpedMs });
  }

  /** The machine goes, and nobody hears of it: links stay half open, writes that were on their way are lost. */
  cutPower(): void {
    if (!this.#hasPower) return;
    this.#hasPower = false;
    this.#world.trace(() => 'the server loses power');
    void this.#world.store.cutPower();
    this.process.powerOff();
  }

  /** Its monotonic clock counts from anew. */
  powerOn(): void {
    if (this.#hasPower) return;
    this.#hasPower = true;
    this.#boots += 1;
    this.clock.boot(this.#world.scheduler.nowMs, this.#chance.between(1_000, 60_000));
    this.#world.trace(() => `the server boots: server-boot-${this.#boots}`);
    this.process.up(this.#chance.between(100, 2_000));
  }

  /** What takes requests now. */
  get listening(): OpenServer | null {
    return this.#listening?.life.isAlive ? this.#listening : null;
  }

  /** Sessions that have not ended. */
  get sessions(): number {
    return this.#listening?.sessions.size ?? 0;
  }

  /** Takes a device's connection. */
  accept(connection: Connection, link: LinkRecord): void {
    const listening = this.#listening;
    const { scheduler, history } = this.#world;
    const { productLogin } = link;
    const { server: end } = connection;
    if (!listening || listening.life !== end.owner) return;
    const { linkDeps, sessions } = listening;
    const tap = {
      productLogin,
      send: (text: string) => end.send(text),
      hear: (text: string) => session.received(text),
    };
    const filter = this.#world.sabotage.serverLink?.(tap, this.#world);
    const session: DeviceLink = new DeviceLink(
      linkDeps,
      {
        queuedBytes: 0,
        get isOpen() {
          return end.isOpen;
        },
        send(text) {
          const frame = filter?.sent ? filter.sent(text) : text;
          if (frame !== null) end.send(frame);
        },
        close: (code) => hangUp(code),
        terminate: () => hangUp(null),
      },
      'device',
    );
    const hangUp = (code: number | null): void => {
      link.endedMs ??= scheduler.nowMs;
      link.closeCode ??= code;
      end.close(code);
    };
    sessions.add(session);
    history.links.push(link);
    end.listen({
      text(text) {
        if (link.endedMs === null) link.heard.push({ atMs: scheduler.nowMs, ...reportIn(text) });
        const commandIds = commandsIn(text);
        if (commandIds.length > 0) link.said.push({ atMs: scheduler.nowMs, commandIds });
        const frame = filter?.received ? filter.received(text) : text;
        if (frame !== null) session.received(frame);
        if (link.endedMs === null && text.startsWith('{"type":"resume"')) link.upMs ??= scheduler.nowMs;
      },
      closed() {
        link.endedMs ??= scheduler.nowMs;
        sessions.delete(session);
        session.ended();
      },
    });
  }

  async #start(life: Incarnation): Promise<() => Promise<void>> {
    const world = this.#world;
    const { sabotage } = world;
    const port = await world.store.open(life);
    const storage = sabotage.storage?.(port, world) ?? port;
    const core = composeCore({
      settings: { ...readSettings({}), serverName: SERVER_NAME },
      storage: {
        ...storage,
        recordCommand: (record) => {
          if (life.isAlive) world.history.taken.push({ atMs: world.scheduler.nowMs, record });
          return storage.recordCommand(record);
        },
        findKeyed: (clientId, key) => {
          if (life.isAlive) world.history.keyReads.push({ clientId, key, atMs: world.scheduler.nowMs });
          return storage.findKeyed(clientId, key);
        },
      },
      secrets: world.secrets,
      log: this.#log(),
      clock: sabotage.serverClock?.(life) ?? life,
      wallClock: { epochMs: () => this.epochMs() },
      randomness: this.#chance,
    });
    await core.begin();
    core.watch();
    world.listener.begin(life, port);
    const actions = sabotage.actions?.(core.actions, world) ?? core.actions;
    const sessions = new Set<DeviceLink>();
    const requests = new ActivityCounter();
    const listening: Listening = {
      life,
      actions,
      linkDeps: core.linkDeps,
      sessions,
      requests,
      stoppingSinceMs: null,
    };
    this.#listening = listening;
    return async () => {
      listening.stoppingSinceMs = world.scheduler.nowMs;
      const closeLinks = (): void => {
        for (const session of sessions) session.closeForRestart();
      };
      if (sabotage.closesLinksFirst) closeLinks();
      // The simulation's requests come whole.
      const running = { whenIdle: requests.whenIdle.bind(requests), endUploads: () => {} };
      await core.stop(running, closeLinks);
      await port.close();
    };
  }

  #log(): Log {
    const world = this.#world;
    const at = (level: string) => (fields: object, event: string) =>
      world.trace(() => `server ${level}: ${event} ${JSON.stringify(fields)}`);
    return { debug: () => {}, info: at('info'), warn: at('warn'), error: at('error') };
  }
}
