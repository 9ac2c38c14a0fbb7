import type { Cancel, Clock } from '@relaygate/shared';
import type { Level } from '@relaygate/shared/device';
import type { Cause } from '../runtime/cause';
import { cause, causeOf, codeOf } from '../runtime/problem';
import { GpioLines, type WantedLines } from './gpio-lines';
import type { BoardListener, DriveOrder, DriveResult, InputReading, RelayDriver } from './relay-driver';

/** How often a chip that has gone is looked for: a chip on a cable comes back. */
const LOOK_MS = 1_000;

export interface GpioBoardOptions extends WantedLines {
  clock: Clock;
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
  #cancelLook: Cancel = () => {};

  constructor(options: GpioBoardOptions) {
    this.#options = options;
  }

  async open(listener: BoardListener): Promise<void> {
    this.#lines = GpioLines.request(this.#options);
    this.#listener = listener;
    try {
      this.#watch(this.#lines);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async drive({ line, level, inactiveLevel, notAfterMs }: DriveOrder): Promise<DriveResult> {
    const { clock, offsets } = this.#options;
    if (this.#lines === null) return { kind: 'failed', problem: this.#absence };
    if (offsets[line] === undefined) return { kind: 'failed', problem: cause('no-line', { line }) };
    try {
      const atMs = clock.nowMs();
      if (notAfterMs !== null && atMs >= notAfterMs) return { kind: 'too-late' };
      this.#lines.drive(line, level, inactiveLevel);
      return { kind: 'driven', atMs, readBack: this.#readBack(line) };
    } catch (error) {
      if (codeOf(error) === 'ENODEV') this.#lose();
      return { kind: 'failed', problem: causeOf(error) };
    }
  }

  async readInput(input: number): Promise<InputReading> {
    if (this.#lines === null) return { kind: 'failed', problem: this.#absence };
    const { inputs } = this.#lines;
    if (inputs === null || this.#options.inputs?.[input] === undefined)
      return { kind: 'failed', problem: cause('no-input', { input }) };
    try {
      return { kind: 'read', level: inputs.read(input) };
    } catch (error) {
      if (codeOf(error) === 'ENODEV') this.#lose();
      return { kind: 'failed', problem: causeOf(error) };
    }
  }

  async close(): Promise<void> {
    this.#listener = null;
    this.#cancelLook();
    this.#letGo();
  }

  /** Why there are no lines. */
  get #absence(): Cause {
    return cause(this.#listener === null ? 'board-closed' : 'chip-gone', {});
  }

  #readBack(line: number): Level | null {
    try {
      return this.#lines?.read(line) ?? null;
    } catch {
      return null;
    }
  }

  #lose(): void {
    this.#letGo();
    this.#lookLater();
    const listener = this.#listener;
    // The listener is not called from within an order.
    queueMicrotask(() => listener?.lost(cause('chip-gone', {})));
  }

  #watch(lines: GpioLines): void {
    lines.inputs?.watch({ edges: (edges) => this.#listener?.edges?.(edges), failed: () => this.#lose() });
  }

  #lookLater(): void {
    this.#cancelLook = this.#options.clock.after(LOOK_MS, () => this.#look());
  }

  #look(): void {
    try {
      this.#lines = GpioLines.requestAgain(this.#options);
      this.#watch(this.#lines);
    } catch {
      this.#letGo();
      return this.#lookLater();
    }
    this.#listener?.back(this.#options.offsets.map((_offset, line) => this.#readBack(line)));
  }

  #letGo(): void {
    this.#lines?.close();
    this.#lines = null;
  }
}
