/** The lines of a board, held through the kernel's GPIO character device. */

import type { GpioInput, Level } from '@relaygate/shared/device';
import { codeOf } from '../runtime/problem';
import { chipFor } from './gpio-chips';
import type { GpioInputs } from './gpio-inputs';
import type { GpioKernel } from './gpio-kernel';
import { IOCTL, newLineRequest, newLineValues, newOutputConfig, readRequestFd } from './gpio-uapi';
import { chipAt, type KernelChip, levelAt, withChip } from './kernel-chips';

/** The name that others see at the lines (`gpioinfo`). */
const CONSUMER = 'relaygate';
/** The kernel's errors where the chip has no resistors to choose; the last is its own ENOTSUPP, which C has no name for. */
const WITHOUT_PULLS: ReadonlySet<string> = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'errno 524']);

/** Lines by their offsets on the chip; at most 64 each of those that are driven and those that are read. */
export interface WantedLines {
  kernel: GpioKernel;
  /** The label of the GPIO chip; undefined: that of the Raspberry Pi's header. */
  chip: string | undefined;
  /** Those that are driven. */
  offsets: readonly number[];
  inputs?: readonly GpioInput[];
  /** Numbers of inputs. */
  watched?: readonly number[];
}

/**
 * Lines of one chip, which only this process holds. The kernel takes them back when the file descriptor is closed, which
 * only `close` and the process's end do.
 */
export class GpioLines {
  /** Apart, because a configuration concerns all lines of its request; null: the board has none, and loads no code for them. */
  readonly inputs: GpioInputs | null;
  readonly #kernel: GpioKernel;
  readonly #fd: number;
  /**
   * Lines that this process has made outputs, and where their resistors pull; the kernel knows the direction of the others,
   * and is not asked.
   */
  readonly #outputs = new Map<number, Level | undefined>();
  #hasPulls = true;

  private constructor(kernel: GpioKernel, fd: number, inputs: GpioInputs | null) {
    this.#kernel = kernel;
    this.#fd = fd;
    this.inputs = inputs;
  }

  /**
   * Requests all lines that are driven at once and as they are, and before them all that are read. Throws RelaygateError:
   * `board-busy` with the name of who holds a line, `board-unusable` with what to do.
   */
  static request(wanted: WantedLines): GpioLines {
    try {
      return GpioLines.requestAgain(wanted);
    } catch (error) {
      // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
      const { linesProblem }: typeof import('./gpio-problem') = require('./gpio-problem');
      throw linesProblem(error, wanted.kernel, wanted.chip, linesOf(wanted));
    }
  }

  /** As `request`, for a board that has been there: throws any error, and loads nothing from a disk that may hang: `request` has. */
  static requestAgain(wanted: WantedLines): GpioLines {
    const { kernel, offsets, inputs = [], watched = [] } = wanted;
    const { path } = chipOf(kernel, wanted.chip, linesOf(wanted));
    return withChip(kernel, path, (chip) => {
      const request = (bytes: Buffer): number => {
        kernel.ioctl(chip, IOCTL.requestLines, bytes);
        return readRequestFd(bytes);
      };
      const held = inputs.length > 0 ? newInputs(kernel, request, inputs, watched, CONSUMER) : null;
      try {
        return new GpioLines(kernel, request(newLineRequest(offsets, CONSUMER)), held);
      } catch (error) {
        held?.close();
        throw error;
      }
    });
  }

  /**
   * Makes the line an output at this level: direction and level in one step the first time. If the chip has resistors, the
   * line's pulls it to `inactiveLevel`, where the line stays when the kernel takes it back (I4). Throws the kernel's error.
   */
  drive(line: number, level: Level, inactiveLevel?: Level): void {
    if (this.#outputs.has(line) && this.#outputs.get(line) === inactiveLevel) {
      this.#kernel.ioctl(this.#fd, IOCTL.setValues, newLineValues(line, level));
      return;
    }
    this.#makeOutput(line, level, inactiveLevel);
    this.#outputs.set(line, inactiveLevel);
  }

  /** The level at the line itself. Throws the kernel's error. */
  read(line: number): Level {
    return levelAt(this.#kernel, this.#fd, line);
  }

  /** Never throws. */
  close(): void {
    try {
      this.#kernel.close(this.#fd);
    } catch {
      // If it cannot be closed, it is closed already.
    }
    this.inputs?.close();
  }

  /** Without a resistor the relay is still driven. */
  #makeOutput(line: number, level: Level, inactiveLevel: Level | undefined): void {
    if (inactiveLevel !== undefined && this.#hasPulls) {
      try {
        return this.#kernel.ioctl(this.#fd, IOCTL.setConfig, newOutputConfig(line, level, inactiveLevel));
      } catch (error) {
        if (!WITHOUT_PULLS.has(codeOf(error))) throw error;
        this.#hasPulls = false;
      }
    }
    this.#kernel.ioctl(this.#fd, IOCTL.setConfig, newOutputConfig(line, level));
  }
}

function newInputs(...given: ConstructorParameters<typeof GpioInputs>): GpioInputs {
  // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
  const loaded: typeof import('./gpio-inputs') = require('./gpio-inputs');
  return new loaded.GpioInputs(...given);
}

function linesOf({ offsets, inputs = [] }: WantedLines): number[] {
  return [...offsets, ...inputs.map(({ line }) => line)];
}

/** Looks among the chips that may be opened. */
function chipOf(kernel: GpioKernel, label: string | undefined, offsets: readonly number[]): KernelChip {
  const chips = kernel.chips().flatMap((path) => {
    try {
      return [chipAt(kernel, path)];
    } catch {
      return [];
    }
  });
  const chip = chipFor(chips, label, offsets);
  if (chip === null) throw new Error('no such GPIO chip');
  return chip;
}
