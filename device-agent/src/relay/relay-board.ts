import type { Clock } from '@relaygate/shared';
import type { BoardSettings, Level } from '@relaygate/shared/device';
import type { OpenSerial } from '../serial/serial-port';
import type { RelayDriver } from './relay-driver';
import type { LineLock } from './sysfs-board';

/** What an output's wiring says. */
export interface OutputWiring {
  activeLevel: Level;
}

/** What a board may need of its machine. Functions load what they need when they are called. */
export interface BoardMachine {
  clock: Clock;
  /** For repeated work: its timers may be late, and cost nothing. */
  slackClock: Clock;
  dataDir: string;
  openSerial(): OpenSerial;
  lockByte(path: string, byte: number): Promise<LineLock | null>;
}

/** The board of this device, as its kind (`kinds/`) drives it. */
export interface RelayBoard {
  /** `watched`: the inputs whose edges the listener gets from `open` on, as far as the board has them. */
  driver(machine: BoardMachine, outputs: readonly OutputWiring[], watched?: readonly number[]): RelayDriver;
  /**
   * What switches the board off without its guard (off-orders.ts); empty if it is no hardware. The boards of `urgent`
   * outputs come first.
   */
  offOrders(outputs: readonly OutputWiring[], urgent?: readonly number[]): string;
  /** Says why a guard that is killed leaves relays on for longer than a second; null, or absent: it does not (I4). */
  lateOff?(): string | null;
}

/** Exported as `kind` by the file of `kinds/` that has the kind's name. */
export type BoardKind<K extends BoardSettings['kind']> = (board: Extract<BoardSettings, { kind: K }>) => RelayBoard;
