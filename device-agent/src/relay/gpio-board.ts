import type { Clock, GpioInput } from '@relaygate/shared';
import { codeOf, problemOf } from '../program/problem';
import type { GpioKernel } from './gpio-kernel';
import { GpioLines } from './gpio-lines';
import type { BoardListener, DriveOrder, DriveResult, InputReading, RelayDriver } from './relay-driver';

export interface GpioBoardOptions {
  kernel: GpioKernel;
  clock: Clock;
  /** The label of the GPIO chip; undefined: that of the Raspberry Pi's header. */
  chip: string | undefined;
  /** The offset of each line on the chip. */
  offsets: readonly number[];
  inputs: readonly GpioInput[];
}

/**
 * Relays on the lines of a GPIO chip, through its character device. Opening requests the lines as they are, so that
 * nothing moves: neither a line that is still driven since a guard was killed, nor one that has become an input. Each
 * line's first order sets direction and level in one step.
 */
export class GpioBoard implements RelayDriver {
  readonly #options: GpioBoardOptions;
  #lines: GpioLines | null = null;
  /** null: not opened yet, or closed for good. */
  #listener: BoardListener | null = null;

  constructor(options: GpioBoardOptions) {
    this.#options = options;
  }

  async open(listener: BoardListener): Promise<void> {
    this.#lines = this.#request();
    this.#listener = listener;
  }

  async drive({ line, level, notAfterMs }: DriveOrder): Promise<DriveResult> {
    const { clock, offsets } = this.#options;
    if (this.#listener === null) return { kind: 'failed', problem: 'the board is closed' };
    if (offsets[line] === undefined) return { kind: 'failed', problem: `the board has no line ${line}` };
    try {
      // A chip on a cable that was away is looked for again with each order.
      this.#lines ??= this.#request();
      const atMs = clock.nowMs();
      if (notAfterMs !== null && atMs >= notAfterMs) return { kind: 'too-late' };
      this.#lines.drive(line, level);
      return { kind: 'driven', atMs, readBack: this.#readBack(line) };
    } catch (error) {
      if (codeOf(error) === 'ENODEV') this.#lose();
      return { kind: 'failed', problem: problemOf(error) };
    }
  }

  async readInput(input: number): Promise<InputReading> {
    if (this.#listener === null) return { kind: 'failed', problem: 'the board is closed' };
    if (this.#options.inputs[input] === undefined)
      return { kind: 'failed', problem: `the board has no input ${input}` };
    try {
      this.#lines ??= this.#request();
      return { kind: 'read', level: this.#lines.readInput(input) };
    } catch (error) {
      if (codeOf(error) === 'ENODEV') this.#lose();
      return { kind: 'failed', problem: problemOf(error) };
    }
  }

  async close(): Promise<void> {
    this.#listener = null;
    this.#letGo();
  }

  #request(): GpioLines {
    const { kernel, chip, offsets, inputs } = this.#options;
    return GpioLines.request(kernel, chip, offsets, inputs);
  }

  #readBack(line: number): 'high' | 'low' | null {
    try {
      return this.#lines?.read(line) ?? null;
    } catch {
      return null;
    }
  }

  #lose(): void {
    this.#letGo();
    const listener = this.#listener;
    // Not from within an order: the guard answers a loss with orders.
    queueMicrotask(() => listener?.lost('its GPIO chip is gone'));
  }

  #letGo(): void {
    const lines = this.#lines;
    this.#lines = null;
    try {
      lines?.close();
    } catch {
      // What cannot be closed is closed already.
    }
  }
}
