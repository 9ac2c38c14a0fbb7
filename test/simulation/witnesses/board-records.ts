/** What relays, inputs and boards did, in true time. */

export interface Edge {
  machine: string;
  output: number;
  /** The relay is energised from here on. */
  active: boolean;
  atMs: number;
  /** The same on the device's clock, as its board says it; null: no board's word. A pulse is named by it. */
  clockMs: number | null;
  /** When the board got the order; that of the edge where the power went. */
  orderedMs: number;
  /** Of a command: its deadline on the device's clock. */
  notAfterMs: number | null;
  /** `drop`: it lost its supply, and its board did not. */
  cause: 'order' | 'power-cut' | 'drop';
  /** The board moved the relay, and said that it had failed. */
  hasFailed?: true;
}

export interface Renewal {
  machine: string;
  output: number;
  atMs: number;
  orderedMs: number;
  /** On the device's clock. */
  notAfterMs: number;
}

/** An order to go off that found its relay off. */
export type FoundOff = Omit<Renewal, 'notAfterMs'> & Pick<Edge, 'notAfterMs'>;

/** A guard has asked its board for off without a command, whatever has come of it. */
export interface OffAsked {
  machine: string;
  output: number;
  atMs: number;
}

export interface InputChange {
  machine: string;
  input: number;
  /** Whether it shows its relay as energised; null: it cannot be read. */
  shows: boolean | null;
  atMs: number;
}

/** A contact that means something, or a button. */
export interface ContactChange {
  machine: string;
  input: number;
  /** Closed or pressed from here on. */
  isActive: boolean;
  atMs: number;
}

export interface InputLook {
  machine: string;
  input: number;
  askedMs: number;
  /** When the guard had the answer; null: it never came. */
  answeredMs: number | null;
}

/** A guard's board has told it of a relay. */
export interface LineLook {
  machine: string;
  output: number;
  active: boolean;
  atMs: number;
}

export interface Absence {
  machine: string;
  fromMs: number;
  /** Its guard, if it runs, hears it then; infinite: not yet. */
  untilMs: number;
}
