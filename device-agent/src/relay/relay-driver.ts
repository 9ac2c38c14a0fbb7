import type { Level } from '@relaygate/shared/device';
import type { Cause } from '../runtime/cause';

/**
 * A relay board, the port between the guard and the hardware. A driver moves lines and decides nothing: which level
 * energises a relay, how long a pulse lasts and what happens after a failure is the guard's business.
 *
 * Every call settles, a failure as a result rather than a rejection. Orders for one line are carried out in the order
 * given, and one still queued (a serial bus) gives way to a newer one for the same line, ending as `failed`. Lines do
 * not wait for each other longer than the bus makes them.
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
  /** Orders may wait for others here; each says `taken` when its own time begins. */
  readonly queues?: true;
  /**
   * Where the relays themselves can be asked: what the line is now, in turn with the orders. Commands that find their
   * output as they want it ask before they say so: a board may have lost its own supply since its last order.
   */
  readLine?(line: number): Promise<LineReading>;
  /** Where the board has inputs: the level at one of them. Numbered apart from the lines. */
  readInput?(input: number): Promise<InputReading>;
  /**
   * Lets go of the board. Lines stay as they are, as far as the hardware allows; only those known to be `inactive` may be
   * given back to the system.
   */
  close(inactive?: readonly number[]): Promise<void>;
}

/** Never called from within a call of the driver: whoever orders or looks has done so before it hears of anything. */
export interface BoardListener {
  /** The lines' levels are unknown from now on, until `back`. Said again when the reason is another one. */
  lost(problem: Cause): void;
  /**
   * The board is there (again), and takes orders from now on: its lines as they are, null where it does not know. May be
   * said with its opening too.
   */
  back(levels: readonly (Level | null)[]): void;
  /** A board that did not answer until now does, and is read from now on: its lines as they are. Nothing was moved. */
  readable?(levels: readonly Level[]): void;
  /**
   * Inputs that are watched have changed, in the order of their times for each input. What they show at first
   * `readInput` says. Over a loss they may change without an edge: after `back` read them again.
   *
   * What is too short for the board is not told, nor what comes faster than the guard can read it; then two edges in a
   * row may have the same level. The last edge told holds until the next, until `inputsUnread` or until `lost`.
   */
  edges?(edges: readonly InputEdge[]): void;
  /**
   * What these inputs show is not known any more (I11): for 1 s, and three times in a row, their part of the board could not
   * be read, while the board is there. They are read again by `readInput`, or told by their next edge, which comes if
   * they are another than last told.
   */
  inputsUnread?(inputs: readonly number[]): void;
}

/** An input has changed. */
export interface InputEdge {
  input: number;
  /** Since then. */
  level: Level;
  /**
   * When, on the guard's clock: the kernel's time of the edge; of a board that is polled, the earliest it may have been,
   * which is the look before.
   */
  atMs: number;
}

export interface DriveOrder {
  line: number;
  /** The electrical level; a board whose relays hang on a bus takes `high` for "relay on". */
  level: Level;
  /** At which the relay is off: a board that can holds the line there by a resistor once nobody drives it any more. */
  inactiveLevel?: Level;
  /** I2: on the guard's clock; at or after it the edge must not start any more. null: at any time. */
  notAfterMs: number | null;
  /**
   * A pulse of this length begins. A board that can end it by itself is ordered to, rounded up to what it can count;
   * the guard orders the end in any case, so a driver that cannot ignores this. For a line in a pulse: it starts anew.
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
  /** null: this board does not know after all. */
  | { kind: 'read'; level: Level | null }
  /** Away, silent or not understood. */
  | { kind: 'failed'; problem: Cause };

export type InputReading =
  | { kind: 'read'; level: Level }
  /** No such input, or it does not answer. */
  | { kind: 'failed'; problem: Cause };
