import type { Level } from '@relaygate/shared/device';

/**
 * /sys/class/gpio, a port, so that the driver can be played over a tree of the tests. Lines are named by the number of
 * the whole system, which is the base of their chip plus their offset. Failures are errors whose `code` is the kernel's
 * word.
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
   * The exported line as an input. `changed` is told the level once the line has changed, as it is then, or null if it
   * cannot be read any more, and nothing after that; null: nobody asks. Rejects with the code ENODEV if it shall be told and
   * the line has no interrupt.
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
  /** Nobody is told any more. */
  end(): void;
}

export interface SysfsLine {
  write(level: Level): void;
  /** The level at the line itself. */
  read(): Level;
  /** Gives the line back to the system. */
  unexport(): void;
}
