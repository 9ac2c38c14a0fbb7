import {
  type DriveOrder,
  type DriveResult,
  oppositeLevel,
  type RelayDriver,
} from '@relaygate/device-agent/relay/relay-driver';
import type { Level, OutputSettings } from '@relaygate/shared';
import type { SeededChance } from '../support/seeded-chance';
import type { Edge } from './history';
import type { Incarnation } from './incarnation';
import { Layers } from './layers';
import type { Scheduler } from './scheduler';

/** What the board does to orders while a fault lasts. */
export type BoardMode = 'works' | 'fails' | 'hangs' | 'slow';

interface Waiting {
  order: DriveOrder;
  orderedMs: number;
  owner: Incarnation;
  settle: (result: DriveResult) => void;
}

/** The relays of one machine. They keep their levels over a guard's death, and fall off with the power. */
export class Board {
  readonly #machine: string;
  readonly #scheduler: Scheduler;
  readonly #chance: SeededChance;
  readonly #activeLevels: readonly Level[];
  readonly #levels: Level[];
  readonly #log: (edge: Edge) => void;
  /** The order that a line has in hand, and the one behind it. */
  readonly #inHand = new Map<number, Waiting>();
  readonly #behind = new Map<number, Waiting>();
  readonly faults = new Layers<BoardMode>('works');

  constructor(
    machine: string,
    parts: {
      scheduler: Scheduler;
      chance: SeededChance;
      outputs: readonly OutputSettings[];
      log: (edge: Edge) => void;
    },
  ) {
    this.#machine = machine;
    this.#scheduler = parts.scheduler;
    this.#chance = parts.chance;
    this.#activeLevels = parts.outputs.map(({ activeLevel }) => activeLevel);
    this.#levels = this.#activeLevels.map(oppositeLevel);
    this.#log = parts.log;
  }

  isActive(line: number): boolean {
    return this.#levels[line] === this.#activeLevels[line];
  }

  /** The driver of one guard. */
  driver(owner: Incarnation): RelayDriver {
    owner.onDeath(() => {
      for (const orders of [this.#inHand, this.#behind]) {
        for (const [line, waiting] of orders) if (waiting.owner === owner) orders.delete(line);
      }
    });
    return {
      open: () => owner.call(instantly, () => {}),
      drive: (order) => this.#take(owner, order),
      close: () => owner.call(instantly, () => {}),
    };
  }

  cutPower(): void {
    this.#inHand.clear();
    this.#behind.clear();
    this.#levels.forEach((level, line) => {
      if (this.isActive(line)) this.#move(line, oppositeLevel(level), null, 'power-cut');
    });
  }

  /** Moves a line behind the driver's back: only a deliberate fault does. */
  force(line: number, active: boolean): void {
    const level = this.#activeLevels[line] ?? 'high';
    this.#move(line, active ? level : oppositeLevel(level), null, 'order');
  }

  #take(owner: Incarnation, order: DriveOrder): Promise<DriveResult> {
    if (!owner.point()) return new Promise(() => {});
    return new Promise((resolve) => {
      const settle = (result: DriveResult): void => {
        if (owner.point())
          this.#scheduler.in(0.02 + this.#chance.fraction() * 0.1, () => owner.deliver(() => resolve(result)));
      };
      const waiting = { order, owner, settle, orderedMs: this.#scheduler.nowMs };
      if (!this.#inHand.has(order.line)) return this.#carryOut(waiting);
      this.#behind.get(order.line)?.settle({ kind: 'failed', problem: 'gave way to a newer order' });
      this.#behind.set(order.line, waiting);
    });
  }

  #carryOut(waiting: Waiting): void {
    const { order } = waiting;
    this.#inHand.set(order.line, waiting);
    const mode = this.faults.top;
    // The next order moves it on, or nothing does.
    if (mode === 'hangs') return void this.#scheduler.in(3_000, () => this.#finish(waiting, null));
    const delayMs = mode === 'slow' ? 20 + this.#chance.fraction() * 400 : 0.02 + this.#chance.fraction() * 0.3;
    this.#scheduler.in(delayMs, () =>
      this.#finish(waiting, mode === 'fails' ? this.#failure(waiting) : this.#edge(waiting)),
    );
  }

  #finish(waiting: Waiting, result: DriveResult | null): void {
    const { line } = waiting.order;
    // Its guard is dead, or its machine without power.
    if (this.#inHand.get(line) !== waiting) return;
    this.#inHand.delete(line);
    if (result) waiting.settle(result);
    const next = this.#behind.get(line);
    this.#behind.delete(line);
    if (next) this.#carryOut(next);
  }

  #failure(waiting: Waiting): DriveResult {
    if (this.#inHand.get(waiting.order.line) === waiting && this.#chance.fraction() < 0.3) this.#edge(waiting);
    return { kind: 'failed', problem: 'the bus does not answer' };
  }

  #edge(waiting: Waiting): DriveResult | null {
    const { order, owner, orderedMs } = waiting;
    if (this.#inHand.get(order.line) !== waiting) return null;
    const atMs = owner.nowMs();
    if (order.notAfterMs !== null && atMs >= order.notAfterMs) return { kind: 'too-late' };
    if (this.#levels[order.line] !== order.level)
      this.#move(order.line, order.level, order.notAfterMs, 'order', orderedMs);
    return { kind: 'driven', atMs, readBack: order.level };
  }

  #move(line: number, level: Level, notAfterMs: number | null, cause: Edge['cause'], orderedMs?: number): void {
    this.#levels[line] = level;
    const atMs = this.#scheduler.nowMs;
    const active = this.isActive(line);
    this.#log({ machine: this.#machine, output: line, active, atMs, orderedMs: orderedMs ?? atMs, notAfterMs, cause });
  }
}

const instantly = () => ({ beforeMs: 0, afterMs: 0 });
