import { composeCore, type ServerCore } from '@relaygate/server/core';
import type { Secrets } from '@relaygate/server/files/secrets';
import type { MessageBus } from '@relaygate/server/router/message-bus';
import { startNodeRouter } from '@relaygate/server/router/node-router';
import { readSettings } from '@relaygate/server/settings';
import { type Storage, WRITES } from '@relaygate/server/storage/storage';
import { type Clock, RelaygateError, STORAGE_WRITE_TIMEOUT_MS } from '@relaygate/shared';
import type { SeededChance } from '../../../support/chance/seeded-chance';
import { SILENT_LOG } from '../../../support/server/collecting-log';
import type { MemoryBroker } from '../../../support/server/memory-broker';
import type { VirtualClock } from '../../../support/time/virtual-clock';
import type { BrokerMode, StoreMode } from './cluster-moves';
import type { Sabotage } from './cluster-sabotage';

const HOUR_MS = 3_600_000;

export interface NodeWorld {
  readonly time: VirtualClock;
  readonly chance: SeededChance;
  readonly secrets: Secrets;
  readonly broker: MemoryBroker;
  readonly sabotage: Sabotage;
  /** Performs a call of the storage port, one after the other; `asNode`: who asks. */
  perform(asNode: ClusterNode, name: string, args: unknown[]): Promise<unknown>;
  /** A node has the answer to whether a client may. */
  authorised(asNode: ClusterNode, clientId: string): void;
  overheard(subject: string, data: Uint8Array, reply: string): void;
}

/** One process of a node, from its start until it is killed. */
export class Life {
  core: ServerCore | undefined;
  isAlive = true;
  linkDeps: ServerCore['linkDeps'] | undefined;
  /** When it was last held up, in true time. */
  heldUpMs = 0;
  renounce = (): void => {};
  /** Its monotonic clock counts from another moment than that of the others. */
  readonly aheadMs: number;
  readonly #node: ClusterNode;
  #frozen: (() => void)[] | undefined;
  #atDeath: (() => void)[] = [];

  constructor(node: ClusterNode, aheadMs: number) {
    this.#node = node;
    this.aheadMs = aheadMs;
  }

  get isFrozen(): boolean {
    return this.#frozen !== undefined;
  }

  /** What comes to a process that is frozen waits for it. */
  deliver(run: () => void): void {
    if (!this.isAlive) return;
    if (this.#frozen) this.#frozen.push(run);
    else run();
  }

  freeze(): void {
    this.#frozen ??= [];
  }

  thaw(): void {
    const waiting = this.#frozen ?? [];
    if (this.#frozen) this.heldUpMs = this.#node.nowMs();
    this.#frozen = undefined;
    // One in each turn of the event loop, as the kernel hands them over.
    const next = (): void => {
      const run = waiting.shift();
      if (!run) return;
      this.deliver(run);
      this.#node.soon(next);
    };
    next();
  }

  onDeath(run: () => void): void {
    this.#atDeath.push(run);
  }

  kill(): void {
    this.isAlive = false;
    for (const run of this.#atDeath) run();
  }
}

/** A node of three: its core, unchanged, over a database and a broker that fail it. */
export class ClusterNode {
  readonly name: string;
  /** How wrong its wall clock is. */
  readonly wallMs: number;
  store: StoreMode = 'works';
  bus: BrokerMode = 'works';
  life: Life;
  readonly #world: NodeWorld;
  readonly #clockAtMs: number;

  constructor(world: NodeWorld, index: number) {
    this.#world = world;
    this.name = `node-${index}`;
    this.wallMs = (index - 1) * HOUR_MS;
    // Some clocks are so near to each other that a moment of one makes sense on the other.
    this.#clockAtMs = HOUR_MS + index * world.chance.pick(1_500, 1_500, HOUR_MS);
    this.life = this.#live();
  }

  /** Devices and clients reach it. */
  get isOpen(): boolean {
    return this.life.isAlive && !this.life.isFrozen && this.life.linkDeps !== undefined;
  }

  nowMs(): number {
    return this.#world.time.nowMs();
  }

  soon(run: () => void): void {
    this.#world.time.after(0, run);
  }

  kill(): void {
    this.life.kill();
  }

  start(): void {
    if (!this.life.isAlive) this.life = this.#live();
  }

  #live(): Life {
    const { time, chance, secrets, sabotage } = this.#world;
    const life = new Life(this, this.#clockAtMs);
    const clock: Clock = {
      nowMs: () => time.nowMs() + life.aheadMs,
      after: (ms, run) => time.after(ms, () => life.deliver(run)),
    };
    const core = composeCore({
      settings: { ...readSettings({}), nodeName: this.name },
      storage: this.#storage(life),
      secrets,
      log: SILENT_LOG,
      clock,
      wallClock: { epochMs: () => time.epochMs() + this.wallMs },
      randomness: chance,
      onFailover: (run) => {
        life.renounce = run;
      },
      connectNodes: (commands, limits) => {
        const bus = this.#connect(life);
        const taking = sabotage.commands?.(commands, this) ?? commands;
        const deps = { nodeName: this.name, bus, secret: secrets.refreshSecret, commands: taking, limits, clock };
        const router = startNodeRouter({ ...deps, randomness: chance, log: SILENT_LOG });
        return sabotage.router?.(router, this) ?? router;
      },
    });
    life.core = core;
    core.begin().then(
      () => {
        if (!life.isAlive) return;
        core.watch();
        life.linkDeps = core.linkDeps;
      },
      // As its supervisor does.
      () => {
        life.kill();
        time.after(1_000, () => {
          if (this.life === life) this.start();
        });
      },
    );
    return life;
  }

  #storage(life: Life): Storage {
    const get = (_: Storage, name: string): unknown =>
      name === 'onCommit' ? () => {} : (...args: unknown[]) => this.#ask(life, name, args);
    return new Proxy<Storage>({} as Storage, { get });
  }

  #ask(life: Life, name: string, args: unknown[]): Promise<unknown> {
    const { time, chance } = this.#world;
    const mode = this.store;
    const isWrite = name in WRITES;
    const wayMs = (): number => (mode === 'slow' ? chance.between(0, 900) : 0);
    return new Promise((resolve, reject) => {
      let isBegun = false;
      let isOver = false;
      const settle = (run: () => void): void => {
        if (isOver) return;
        isOver = true;
        cancel();
        life.deliver(run);
      };
      const fail = (): void =>
        settle(() => reject(new RelaygateError(isBegun && isWrite ? 'storage-unanswered' : 'storage-unavailable')));
      const cancel = time.after(STORAGE_WRITE_TIMEOUT_MS, fail);
      const perform = async (): Promise<void> => {
        if (isOver) return;
        if (mode === 'fails') return fail();
        isBegun = true;
        const done = this.#world.perform(this, name, args).then(
          (value) => () => {
            resolve(value);
            if (name === 'readAccess') this.#world.authorised(this, String(args[0]));
          },
          (error: unknown) => () => reject(error),
        );
        const run = await done;
        if (mode === 'lost' && isWrite && name !== 'renewLease') return fail();
        later(time, wayMs(), () => settle(run));
      };
      later(time, wayMs(), () => void perform());
    });
  }

  /** Its connection to the broker, which loses, delays and repeats. */
  #connect(life: Life): MessageBus {
    const { time, chance, broker, sabotage } = this.#world;
    const inner = broker.connect();
    life.onDeath(() => void inner.close());
    const mode = (): BrokerMode => this.bus;
    const isCut = (): boolean => mode() === 'cut' || mode() === 'noticed';
    return {
      get isConnected() {
        return mode() !== 'noticed' && inner.isConnected;
      },
      publish: (subject, data, reply = '') => {
        if (!life.isAlive || isCut()) return;
        this.#world.overheard(subject, data, reply);
        const pass = (): void => inner.publish(subject, data, reply);
        if (mode() === 'works') return pass();
        if (chance.fraction() < 0.15) return;
        const delayMs = (): number => chance.pick(0, 0, 40, 700, 2_000, 5_000);
        later(time, delayMs(), pass);
        if (chance.fraction() < 0.5) later(time, delayMs(), pass);
      },
      subscribe: (subject, hear) =>
        inner.subscribe(subject, (message) => {
          if (!isCut()) life.deliver(() => hear(sabotage.heard?.(subject, message) ?? message));
        }),
      unsubscribe: (subject) => inner.unsubscribe(subject),
      close: () => inner.close(),
    };
  }
}

/** At once, if there is nothing to wait for: a game has thousands of such ways. */
function later(time: VirtualClock, ms: number, run: () => void): void {
  if (ms === 0) run();
  else time.after(ms, run);
}
