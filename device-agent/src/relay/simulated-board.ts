import type { Cancel, Clock } from '@relaygate/shared';
import type { Level } from '@relaygate/shared/device';
import { parserOf, type Static, Type } from '@relaygate/shared/schema';
import { parsedIn } from '../files/json-text';
import { oppositeLevel } from '../runtime/opposite-level';
import { cause, causeOf } from '../runtime/problem';
import { InputChanges, reportSeen } from './input-changes';
import type { BoardListener, DriveOrder, DriveResult, InputReading, RelayDriver } from './relay-driver';

/** Where the simulated board keeps its state; synchronous, as a wire is. */
export interface BoardStore {
  /** The board's state as text, or null: a board out of the box. */
  load(): string | null;
  save(text: string): void;
  /** Its inputs as text: a JSON list, each `high`, `low` or `{"follows": output}`; null: it has none. */
  inputs(): string | null;
  /** Adds one edge to the log. */
  log(edge: Edge): void;
}

/** `level` 1 = relay energised; `atMs` on CLOCK_MONOTONIC. */
export interface Edge {
  output: number;
  level: 0 | 1;
  atMs: number;
}

export interface SimulatedBoardOptions {
  store: BoardStore;
  clock: Clock;
  /** How many lines, and the level that energises the relay of each where the board is out of the box. */
  wiring: Level[];
  /** Lines fall back when the driving process dies; noticed, and logged, at the next opening. */
  releaseOnDeath: boolean;
  /** Numbers of inputs. */
  watched?: readonly number[];
}

const Line = Type.Object({
  level: Type.Union([Type.Literal('high'), Type.Literal('low')]),
  /** The level that energises its relay: soldered, so a change of settings does not change it. */
  energisedBy: Type.Union([Type.Literal('high'), Type.Literal('low')]),
});
const BoardState = Type.Object({ lines: Type.Array(Line), open: Type.Boolean() });
const parseBoardState = parserOf(BoardState);

const Inputs = Type.Array(
  Type.Union([Type.Literal('high'), Type.Literal('low'), Type.Object({ follows: Type.Integer({ minimum: 0 }) })]),
);
const parseInputs = parserOf(Inputs);

/** How often inputs that are watched are looked at. Edges have the time of the look before. */
const LOOK_MS = 20;
/** How often a disk that refuses is tried again. */
const STORE_RETRY_MS = 1_000;

/**
 * A board in files: its lines stay as they are when the process dies, as a Raspberry Pi's do, and every change of a
 * relay is an edge in the log.
 */
export class SimulatedBoard implements RelayDriver {
  readonly #store: BoardStore;
  readonly #clock: Clock;
  readonly #wiring: Level[];
  readonly #releaseOnDeath: boolean;
  #lines: { level: Level; energisedBy: Level }[] = [];
  #isOpen = false;
  #isSaved = false;
  /** Edges that are not logged yet, the oldest first. */
  readonly #unlogged: Edge[] = [];
  #cancelRetry: Cancel = () => {};
  readonly #watched: readonly number[];
  readonly #changes: InputChanges;
  #cancelLook: Cancel = () => {};

  constructor(options: SimulatedBoardOptions) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#wiring = options.wiring;
    this.#releaseOnDeath = options.releaseOnDeath;
    this.#watched = options.watched ?? [];
    this.#changes = new InputChanges(this.#watched);
  }

  async open(listener: BoardListener): Promise<void> {
    const saved = readState(this.#store.load());
    this.#lines = this.#wiring.map(
      (energisedBy, line) => saved.lines[line] ?? { level: oppositeLevel(energisedBy), energisedBy },
    );
    this.#isOpen = true;
    this.#isSaved = false;
    if (saved.open && this.#releaseOnDeath) {
      for (const [line, { energisedBy }] of this.#lines.entries()) this.#move(line, oppositeLevel(energisedBy));
    }
    this.#catchUp();
    if (this.#watched.length > 0) this.#look(listener);
  }

  async drive(order: DriveOrder): Promise<DriveResult> {
    if (!this.#isOpen) return { kind: 'failed', problem: cause('board-closed', {}) };
    if (!this.#lines[order.line]) return { kind: 'failed', problem: cause('no-line', { line: order.line }) };
    if (order.notAfterMs !== null && this.#clock.nowMs() >= order.notAfterMs) return { kind: 'too-late' };
    try {
      const atMs = this.#move(order.line, order.level);
      return { kind: 'driven', atMs, readBack: order.level };
    } catch (error) {
      return { kind: 'failed', problem: causeOf(error) };
    }
  }

  /** An input that follows an output is high while its relay is energised. */
  async readInput(input: number): Promise<InputReading> {
    if (!this.#isOpen) return { kind: 'failed', problem: cause('board-closed', {}) };
    const level = this.#inputLevels()[input];
    return level === undefined ? { kind: 'failed', problem: cause('no-input', { input }) } : { kind: 'read', level };
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#cancelLook();
    this.#isSaved = false;
    this.#catchUp();
    this.#cancelRetry();
  }

  /** Looks now, and again and again from now on. */
  #look(listener: BoardListener): void {
    const atMs = this.#clock.nowMs();
    const levels = this.#inputLevels();
    const seen = this.#changes.look(new Map(this.#watched.map((input) => [input, levels[input] ?? null])), atMs);
    this.#cancelLook = this.#clock.after(LOOK_MS, () => this.#look(listener));
    reportSeen(listener, seen);
  }

  /** Empty if they cannot be read. */
  #inputLevels(): Level[] {
    return (readInputs(this.#store) ?? []).map((wired) => {
      if (typeof wired === 'string') return wired;
      const line = this.#lines[wired.follows];
      return line && line.level === line.energisedBy ? 'high' : 'low';
    });
  }

  /**
   * A relay falls whatever the files do: a full disk must not keep one closed (I4). A relay is energised only when all
   * edges before are logged and the new state is saved, so at most one edge per line waits to be logged. The state comes
   * before the edge: if the process is killed in between, the next opening still knows the line's level.
   */
  #move(number: number, level: Level): number {
    const atMs = this.#clock.nowMs();
    const line = this.#lines[number];
    if (!line || line.level === level) return atMs;
    const before = line.level;
    line.level = level;
    this.#isSaved = false;
    if (level === line.energisedBy) {
      try {
        this.#logEdges();
        this.#save();
      } catch (error) {
        line.level = before;
        throw error;
      }
    }
    this.#unlogged.push({ output: number, level: level === line.energisedBy ? 1 : 0, atMs });
    this.#catchUp();
    return atMs;
  }

  /** Writes the missing state and edges, and tries again while the disk refuses. */
  #catchUp(): void {
    this.#cancelRetry();
    try {
      if (!this.#isSaved) this.#save();
      this.#logEdges();
    } catch {
      this.#cancelRetry = this.#clock.after(STORE_RETRY_MS, () => this.#catchUp());
    }
  }

  #save(): void {
    this.#store.save(JSON.stringify({ lines: this.#lines, open: this.#isOpen }));
    this.#isSaved = true;
  }

  #logEdges(): void {
    for (let edge = this.#unlogged[0]; edge; edge = this.#unlogged[0]) {
      this.#store.log(edge);
      this.#unlogged.shift();
    }
  }
}

/** A state that cannot be read is a board that has lost its power: out of the box again, with its relays fallen. */
function readState(text: string | null): { lines: { level: Level; energisedBy: Level }[]; open: boolean } {
  const newBoard = { lines: [], open: false };
  return text === null ? newBoard : (parsedIn(text, parseBoardState) ?? newBoard);
}

/** null: there are none, or they cannot be read. */
function readInputs(store: BoardStore): Static<typeof Inputs> | null {
  try {
    const text = store.inputs();
    return text === null ? null : parsedIn(text, parseInputs);
  } catch {
    return null;
  }
}
