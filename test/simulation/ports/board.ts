import type {
  DriveOrder,
  DriveResult,
  InputReading,
  LineReading,
  RelayDriver,
} from '@relaygate/device-agent/relay/relay-driver';
import { oppositeLevel } from '@relaygate/device-agent/runtime/opposite-level';
import type { InputSettings, Level, OutputSettings } from '@relaygate/shared/device';
import type { SeededChance } from '../../support/chance/seeded-chance';
import type { Incarnation } from '../machines/incarnation';
import type { BoardReads } from '../plan/plan';
import type { Scheduler } from '../scheduler';
import type {
  Absence,
  ContactChange,
  Edge,
  FoundOff,
  InputChange,
  InputLook,
  LineLook,
  OffAsked,
  Renewal,
} from '../witnesses/board-records';
import { Adapter } from './adapter';
import { Contacts } from './contacts';
import { Inputs } from './inputs';
import { Layers } from './layers';

/** What the board does to orders while a fault lasts. */
export type BoardMode = 'works' | 'fails' | 'hangs' | 'slow';

export interface BoardLog {
  edge(edge: Edge): void;
  renewal(renewal: Renewal): void;
  foundOff(order: FoundOff): void;
  offAsked(order: OffAsked): void;
  input(change: InputChange): void;
  contact(change: ContactChange): void;
  look(look: InputLook): void;
  lineLook(look: LineLook): void;
  /** It has begun, or is over. */
  absence(absence: Absence): void;
}

/** How long a hanging bus takes to come back. */
const HANG_MS = 3_000;

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
  readonly #log: BoardLog;
  readonly inputs: Inputs;
  readonly contacts: Contacts;
  readonly #adapter: Adapter;
  /** Whether relays do not go off. */
  readonly #stuck: readonly Layers<boolean>[];
  /** Whether they follow no order, and the board does not notice. */
  readonly #deaf: readonly Layers<boolean>[];
  readonly #reads: BoardReads;
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
      inputs?: readonly InputSettings[];
      reads: BoardReads;
      log: BoardLog;
    },
  ) {
    this.#machine = machine;
    this.#scheduler = parts.scheduler;
    this.#chance = parts.chance;
    this.#activeLevels = parts.outputs.map(({ activeLevel }) => activeLevel);
    this.#levels = this.#activeLevels.map(oppositeLevel);
    this.#stuck = this.#levels.map(() => new Layers(false));
    this.#deaf = this.#levels.map(() => new Layers(false));
    this.#reads = parts.reads;
    this.#log = parts.log;
    this.inputs = new Inputs(machine, {
      ...parts,
      chance: parts.chance.fork('inputs'),
      relayIsActive: (line) => this.isActive(line),
      log: (change) => parts.log.input(change),
    });
    this.#adapter = new Adapter({
      machine,
      scheduler: parts.scheduler,
      chance: parts.chance.fork('adapter'),
      levels: () => this.#levels,
      unplugged: () => this.#dropOrders(),
      log: (absence) => parts.log.absence(absence),
    });
    this.contacts = new Contacts({
      machine,
      scheduler: parts.scheduler,
      inputs: parts.inputs ?? [],
      isAwayOf: (owner) => this.#adapter.isAwayOf(owner),
      log: (change) => parts.log.contact(change),
    });
  }

  get isAnyActive(): boolean {
    return this.#levels.some((level, line) => level === this.#activeLevels[line]);
  }

  get lines(): readonly number[] {
    return [...this.#levels.keys()];
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
      open: (listener) =>
        owner.call(instantly, () => {
          this.contacts.listen(owner, listener);
          this.#adapter.open(owner, listener);
        }),
      drive: (order) => this.#take(owner, order),
      readInput: (input) => this.#read(owner, input),
      ...(this.#reads === 'lines' ? { readLine: (line: number) => this.#readLine(owner, line) } : {}),
      close: () => owner.call(instantly, () => this.#adapter.close(owner)),
    };
  }

  cutPower(): void {
    this.#inHand.clear();
    this.#behind.clear();
    this.#fallOff();
  }

  /** `relays`: whether they lose their supply with it. The result plugs the board in again. */
  unplug({ relays, tells }: { relays: 'stay' | 'fall'; tells: boolean }): () => void {
    const end = this.#adapter.unplug({ tells });
    if (relays === 'fall') this.#fallOff();
    return end;
  }

  /** Whether it does not go off now. */
  isStuck(line: number): boolean {
    return this.#stuck[line]?.top === true && this.isActive(line);
  }

  /** The relay does not go off. The result ends that. */
  stick(line: number): () => void {
    return this.#stuck[line]?.begin(true) ?? (() => {});
  }

  /** The relay follows no order. The result ends that. */
  deafen(line: number): () => void {
    return this.#deaf[line]?.begin(true) ?? (() => {});
  }

  /** The relay loses its supply. */
  drop(line: number): void {
    const level = this.#levels[line];
    if (level !== undefined && this.isActive(line)) this.#move(line, oppositeLevel(level), null, 'drop');
  }

  /** Moves a line behind the driver's back: only a deliberate fault does. */
  force(line: number, active: boolean): void {
    const level = this.#activeLevels[line] ?? 'high';
    this.#move(line, active ? level : oppositeLevel(level), null, 'order');
  }

  #take(owner: Incarnation, order: DriveOrder): Promise<DriveResult> {
    if (!owner.point()) return new Promise(() => {});
    if (order.notAfterMs === null && order.level !== this.#activeLevels[order.line])
      this.#log.offAsked({ machine: this.#machine, output: order.line, atMs: this.#scheduler.nowMs });
    return new Promise((resolve) => {
      const settle = (result: DriveResult): void => {
        if (owner.point())
          this.#scheduler.in(0.02 + this.#chance.fraction() * 0.1, () => owner.deliver(() => resolve(result)));
      };
      if (this.#adapter.isAwayOf(owner)) return settle(AWAY);
      const waiting = { order, owner, settle, orderedMs: this.#scheduler.nowMs };
      if (!this.#inHand.has(order.line)) return this.#carryOut(waiting);
      this.#behind.get(order.line)?.settle({ kind: 'failed', problem: 'gave way to a newer order' });
      this.#behind.set(order.line, waiting);
    });
  }

  async #read(owner: Incarnation, input: number): Promise<InputReading> {
    const look: InputLook = { machine: this.#machine, input, askedMs: this.#scheduler.nowMs, answeredMs: null };
    this.#log.look(look);
    const reading = await this.#readNow(owner, input);
    look.answeredMs = this.#scheduler.nowMs;
    return reading;
  }

  #readNow(owner: Incarnation, input: number): Promise<InputReading> {
    return this.#ask(owner, () =>
      this.contacts.has(input) ? { kind: 'read', level: this.contacts.levelOf(input) } : this.inputs.read(input),
    );
  }

  async #readLine(owner: Incarnation, line: number): Promise<LineReading> {
    const reading: LineReading = await this.#ask(owner, () => ({ kind: 'read', level: this.#levels[line] ?? null }));
    const { nowMs: atMs } = this.#scheduler;
    if (reading.kind === 'read')
      this.#log.lineLook({
        machine: this.#machine,
        output: line,
        active: reading.level === this.#activeLevels[line],
        atMs,
      });
    return reading;
  }

  #ask<Reading>(owner: Incarnation, read: () => Reading): Promise<Reading | typeof SILENT> {
    const { top: mode } = this.faults;
    const delaysMs = { works: 0.2, fails: 0.2, slow: 400, hangs: HANG_MS };
    return owner.call(
      () => ({ beforeMs: this.#chance.fraction() * delaysMs[mode], afterMs: 0.02 }),
      () => ((mode === 'works' || mode === 'slow') && !this.#adapter.isAwayOf(owner) ? read() : SILENT),
    );
  }

  /** What was on its way when the adapter went may have reached its relay. */
  #dropOrders(): void {
    const inHand = [...this.#inHand.values()];
    const behind = [...this.#behind.values()];
    for (const waiting of inHand) this.#failure(waiting);
    this.#inHand.clear();
    this.#behind.clear();
    for (const { settle } of [...inHand, ...behind]) settle(AWAY);
  }

  #fallOff(): void {
    this.#levels.forEach((level, line) => {
      if (this.isActive(line)) this.#move(line, oppositeLevel(level), null, 'power-cut');
    });
  }

  #carryOut(waiting: Waiting): void {
    const { order } = waiting;
    this.#inHand.set(order.line, waiting);
    const { top: mode } = this.faults;
    // The next order moves it on, or nothing does.
    if (mode === 'hangs') return void this.#scheduler.in(HANG_MS, () => this.#finish(waiting, null));
    const delayMs = mode === 'slow' ? 20 + this.#chance.fraction() * 400 : 0.02 + this.#chance.fraction() * 0.3;
    this.#scheduler.in(delayMs, () => this.#finish(waiting, this.#result(waiting, mode)));
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

  #result(waiting: Waiting, mode: BoardMode): DriveResult | null {
    const { line, level } = waiting.order;
    if (mode === 'fails') return this.#failure(waiting);
    if (this.#stuck[line]?.top && level !== this.#activeLevels[line] && this.isActive(line))
      return { kind: 'failed', problem: 'the relay does not go off' };
    return this.#edge(waiting);
  }

  #failure(waiting: Waiting): DriveResult {
    if (this.#inHand.get(waiting.order.line) === waiting && this.#chance.fraction() < 0.3)
      this.#edge(waiting, { hasFailed: true });
    return SILENT;
  }

  #edge(waiting: Waiting, said: Pick<Edge, 'hasFailed'> = {}): DriveResult | null {
    const { order, owner, orderedMs } = waiting;
    if (this.#inHand.get(order.line) !== waiting) return null;
    const atMs = owner.nowMs();
    if (order.notAfterMs !== null && atMs >= order.notAfterMs) return { kind: 'too-late' };
    if (this.#levels[order.line] !== order.level) {
      // Its coil gets the order, and the relay stays as it is.
      if (!this.#deaf[order.line]?.top)
        this.#move(order.line, order.level, order.notAfterMs, 'order', { orderedMs, clockMs: atMs, ...said });
    } else {
      const { line: output, notAfterMs } = order;
      const found = { machine: this.#machine, output, atMs: this.#scheduler.nowMs, orderedMs };
      if (!this.isActive(output)) this.#log.foundOff({ ...found, notAfterMs });
      else if (notAfterMs !== null) this.#log.renewal({ ...found, notAfterMs });
    }
    return { kind: 'driven', atMs, readBack: this.#reads === 'nothing' ? null : (this.#levels[order.line] ?? null) };
  }

  #move(
    line: number,
    level: Level,
    notAfterMs: number | null,
    cause: Edge['cause'],
    of: Partial<Pick<Edge, 'orderedMs' | 'clockMs' | 'hasFailed'>> = {},
  ): void {
    this.#levels[line] = level;
    const atMs = this.#scheduler.nowMs;
    const active = this.isActive(line);
    const { orderedMs = atMs, clockMs = null, ...said } = of;
    const edge = { output: line, active, atMs, clockMs, orderedMs, notAfterMs, cause, ...said };
    this.#log.edge({ machine: this.#machine, ...edge });
    this.inputs.relayMoved(line);
  }
}

const SILENT = { kind: 'failed', problem: 'the bus does not answer' } as const;
const AWAY = { kind: 'failed', problem: 'the board is away' } as const;

const instantly = () => ({ beforeMs: 0, afterMs: 0 });
