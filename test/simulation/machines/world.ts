import { createSecretKey } from 'node:crypto';
import type { Secrets } from '@relaygate/server/files/secrets';
import { SeededChance } from '../../support/chance/seeded-chance';
import { ChangeListener } from '../people/change-listener';
import type { ServerDisk } from '../ports/database/server-disk';
import { Store } from '../ports/store';
import type { Sabotage } from '../sabotage/sabotage';
import { Scheduler } from '../scheduler';
import { type History, newHistory } from '../witnesses/history';
import { Device } from './device';
import type { DeviceSetup } from './device-setup';
import { Identities } from './identities';
import type { Incarnation } from './incarnation';
import { ServerNode } from './server-node';
import type { Stage } from './stage';

/** No chance of the seed's goes into it. */
const AUDIT_KEY = createSecretKey(Buffer.alloc(32, 7));

/** Everything there is in one run: the parts, what connects them, and what is written down of it. */
export class World implements Stage {
  readonly chance: SeededChance;
  readonly scheduler: Scheduler;
  readonly history: History = newHistory();
  readonly identities = new Identities();
  readonly sabotage: Sabotage;
  readonly store: Store;
  readonly listener: ChangeListener;
  readonly server: ServerNode;
  readonly devices: Device[];
  /** Every process there has been, by name its latest life. */
  readonly processes = new Map<string, Incarnation>();
  readonly secrets: Secrets;
  readonly #trace: ((line: string) => void) | null;

  constructor(parts: {
    seed: number;
    disk: ServerDisk;
    devices: readonly DeviceSetup[];
    sabotage: Sabotage;
    trace: ((line: string) => void) | null;
  }) {
    this.chance = new SeededChance(parts.seed);
    this.scheduler = new Scheduler(this.chance.fork('order'));
    this.sabotage = parts.sabotage;
    this.#trace = parts.trace;
    this.secrets = {
      accessKey: createSecretKey(this.chance.bytes(32)),
      accessKeyId: 'k1',
      refreshSecret: createSecretKey(this.chance.bytes(32)),
      auditKey: AUDIT_KEY,
    };
    this.store = new Store({
      scheduler: this.scheduler,
      disk: parts.disk,
      thread: (start) => parts.sabotage.writerThread?.(start, this.scheduler) ?? start,
      clock: (clock) => parts.sabotage.writerClock?.(clock) ?? clock,
      wallClock: { epochMs: () => Math.floor(this.server.epochMs()) },
      connection: (db) => parts.sabotage.writerConnection?.(db) ?? db,
      asked: (write) => this.history.writes.push(write),
      written: (group) => this.history.groups.push(group),
      chance: this.chance.fork('store'),
      log: (call) => {
        this.history.stored.push(call);
        this.trace(() => `database ${call.name} ${JSON.stringify(call.args)} -> ${JSON.stringify(call.result)}`);
      },
    });
    const { scheduler, store, history, sabotage } = this;
    this.listener = new ChangeListener({ chance: this.chance.fork('changes'), scheduler, store, history, sabotage });
    this.server = new ServerNode(this);
    this.devices = parts.devices.map((setup) => new Device(this, setup));
  }

  device(machine: string): Device | undefined {
    return this.devices.find(({ setup }) => setup.name === machine);
  }

  get isTraced(): boolean {
    return this.#trace !== null;
  }

  trace(line: () => string): void {
    this.#trace?.(`${this.scheduler.nowMs.toFixed(2).padStart(10)} ${line()}`);
  }

  /** What a program did wrong by itself. */
  uncaught(name: string, error: unknown): void {
    const text = `${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
    this.history.uncaught.push({ atMs: this.scheduler.nowMs, text });
  }
}
