import type { Level } from '@relaygate/shared/device';

/**
 * /sys/class/gpio as a port, so that tests can play a tree. A line has the number of the whole system: the base of its chip
 * plus its offset. Failures are errors whose `code` is the kernel's word.
 */
export interface SysfsGpio {
  chips(): SysfsChip[];
  /**
   * Makes the line's files appear without moving it, and resolves when they may be written: udev may take a moment to
   * give them to the group. What reads inverted (`active_low`) is set straight, which moves nothing either. Resolves with
   * whether the line was there before.
   */
  export(number: number): Promise<boolean>;
  unexport(number: number): void;
  /** The exported line as an output: physically at `level` from its first write on, and through no other level. */
  output(number: number, level: Level): SysfsLine;
  /**
   * Makes the exported line an input. `changed` gets the level after each change, or null if it cannot be read any more,
   * and nothing after that; null: nobody asks. Rejects with the code ENODEV if there is a `changed` and the line has no
   * interrupt.
   */
  input(number: number, changed: ((level: Level | null) => void) | null): Promise<SysfsInput>;
}

export interface SysfsChip {
  label: string;
  /** The system's number of its first line; another one with each kernel. */
  base: number;
  lines: number;
}

export interface SysfsInput {
  read(): Level;
  /** Ends the calls of `changed`. */
  end(): void;
}

export interface SysfsLine {
  write(level: Level): void;
  /** The level at the line itself. */
  read(): Level;
  /** Gives the line back to the system. */
  unexport(): void;
}
