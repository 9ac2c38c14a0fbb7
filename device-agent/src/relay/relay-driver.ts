import type { Level } from '@relaygate/shared/device';
import type { Cause } from '../runtime/cause';

/**
 * A relay board, the port between the guard and the hardware. A driver moves lines and decides nothing: the guard knows
 * which level energises a relay, how long a pulse lasts and what happens after a failure. Every call settles, and a failure
 * is a result, not a rejection. Orders for one line are carried out in the order given; an order that still waits (on a
 * serial bus) ends as `failed` when a newer one for its line comes. Lines wait for each other only as long as the bus makes
 * them.
 */
export interface RelayDriver {
  /**
   * Opens the board without moving a line, whatever a process that was killed has left: a line still driven stays so, one
   * that has become an input stays an input until its first order (I5: only the guard knows what is inactive). A relay that
   * latches, or has a supply of its own, may be closed over a reboot: the guard cannot distinguish that from a power cut. Rejects
   * when the board can never work as set up. A board that is merely away (an unplugged adapter) is `lost`, and orders
   * fail until the driver, which looks for it by itself, says that it is `back`.
   */
  open(listener: BoardListener): Promise<void>;
  drive(order: DriveOrder, taken?: () => void): Promise<DriveResult>;
  /** Orders may wait for each other; each says `taken` when its own time begins. */
  readonly queues?: true;
  /**
   * Reads the line at the relay itself, between orders; absent: the board cannot. Commands that find their output as they
   * want it ask the board before they answer: it may have lost its own supply since its last order.
   */
  readLine?(line: number): Promise<LineReading>;
  /** Reads an input; absent: the board has none. Inputs are numbered apart from the lines. */
  readInput?(input: number): Promise<InputReading>;
  /**
   * Lets go of the board. Lines stay as they are, as far as the hardware allows; only those known to be `inactive` may be
   * given back to the system.
   */
  close(inactive?: readonly number[]): Promise<void>;
}

/** Its functions are never called from within a call of the driver. */
export interface BoardListener {
  /** The lines' levels are unknown from now on, until `back`. Called again when the reason changes. */
  lost(problem: Cause): void;
  /**
   * The board is there (again), and takes orders from now on: its lines as they are; null: it does not know. May be called
   * with its opening too.
   */
  back(levels: readonly (Level | null)[]): void;
  /** A board that did not answer until now does, and is read from now on: its lines as they are. Nothing was moved. */
  readable?(levels: readonly Level[]): void;
  /**
   * Watched inputs have changed; the edges of an input come in the order of their times. `readInput` says what they show at
   * first. While the board is lost they may change without an edge, so they are read again after `back`. Changes that are
   * too short for the board are missed, and so are those that come faster than the guard reads them; then two edges in a
   * row may have the same level. The last edge holds until the next, until `inputsUnread` or until `lost`.
   */
  edges?(edges: readonly InputEdge[]): void;
  /**
   * Nobody knows any more what these inputs show (I11): their part of the board could not be read for 1 s and three times
   * in a row, while the board is there. `readInput` reads them again, or their next edge tells, which comes if the level
   * differs from the last one reported.
   */
  inputsUnread?(inputs: readonly number[]): void;
}

/** An input has changed. */
export interface InputEdge {
  input: number;
  /** Since then. */
  level: Level;
  /**
   * When it changed, on the guard's clock: the kernel's time of the edge. If the board is polled, the time of the look
   * before, which is the earliest it may have been.
   */
  atMs: number;
}

export interface DriveOrder {
  line: number;
  /** The electrical level; a board whose relays hang on a bus takes `high` for "relay on". */
  level: Level;
  /** The level at which the relay is off. A board that can holds the line there by a resistor once nobody drives it. */
  inactiveLevel?: Level;
  /** I2: on the guard's clock; at or after it the edge must not start any more. null: at any time. */
  notAfterMs: number | null;
  /**
   * A pulse of this length begins. A board that can end it by itself is ordered to, rounded up to what it can count. The
   * guard orders the end in any case, so a driver that cannot ignores this. If the line pulses already, the pulse starts
   * anew.
   */
  pulseMs?: number;
}

export type DriveResult =
  /**
   * The line got its order. `atMs`: the moment on the guard's clock just before it was (before the first byte left), however
   * late the answer comes: a pulse is counted from there, so it is never longer than ordered (I4). `readBack`: its
   * level, null if unknown. `pulseEndedBy`: the board ends the pulse itself and at its time, so nothing here makes it
   * longer.
   */
  | { kind: 'driven'; atMs: number; readBack: Level | null; pulseEndedBy?: 'board' }
  /** Nothing was sent: `notAfterMs` had passed. */
  | { kind: 'too-late' }
  /** The line may have moved or not. */
  | { kind: 'failed'; problem: Cause };

export type LineReading =
  /** null: the board does not know after all. */
  | { kind: 'read'; level: Level | null }
  /** Away, silent or not understood. */
  | { kind: 'failed'; problem: Cause };

export type InputReading =
  | { kind: 'read'; level: Level }
  /** No such input, or it does not answer. */
  | { kind: 'failed'; problem: Cause };
