import type { Cancel, Clock } from '@relaygate/shared';
import type { Level } from '@relaygate/shared/device';
import { boardRefused } from '../runtime/board-refused';
import type { Cause } from '../runtime/cause';
import { cause, causeOf, codeOf } from '../runtime/problem';
import { chipNamed, gpioProblem } from './gpio-problem';
import type { BoardListener, DriveOrder, DriveResult, InputReading, RelayDriver } from './relay-driver';
import type { SysfsGpio, SysfsInput, SysfsLine } from './sysfs-gpio';

export interface SysfsBoardOptions {
  gpio: SysfsGpio;
  /** Locks the line with this number in /sys/class/gpio. null: another process has it. */
  lock(number: number): Promise<LineLock | null>;
  clock: Clock;
  /** Timers may be late. */
  slackClock: Clock;
  /** The label of the GPIO chip; undefined: that of the Raspberry Pi's header. */
  chip: string | undefined;
  /** The offset of each line on the chip. */
  offsets: readonly number[];
  inputs?: readonly { line: number }[];
  /** Numbers of inputs. */
  watched?: readonly number[];
}

export interface LineLock {
  release(): Promise<void>;
}

interface Claim {
  number: number;
  lock: LineLock;
  wasExported: boolean;
}

interface Line extends Claim {
  /** null: no order yet, so it is as it was found. */
  output: SysfsLine | null;
}

interface Input extends Claim {
  /** null: it is not one yet. */
  input: SysfsInput | null;
}

/** How often the board notes that the process is not held up, while inputs are watched. */
const ALIVE_MS = 50;
/** Longer than two of these times, which may be late. */
export const HELD_UP_MS = 150;

/**
 * Relays on the lines of a GPIO chip through /sys/class/gpio, for kernels that have no newer way. There a line belongs to
 * nobody: it stays driven when its process dies, and any other process may write it, hence the locks.
 *
 * The kernel tells no time of an edge. It has that of its handling; if the process was held up (HELD_UP_MS), the last moment
 * before at which it was not: the earliest it may have been. What changes faster than it is handled is missed.
 */
export class SysfsBoard implements RelayDriver {
  readonly #options: SysfsBoardOptions;
  #lines: Line[] | null = null;
  #inputs: Input[] = [];
  /** All edges before this moment were handled. */
  #aliveMs = 0;
  #cancelAlive: Cancel = () => {};

  constructor(options: SysfsBoardOptions) {
    this.#options = options;
  }

  async open(listener: BoardListener): Promise<void> {
    const { gpio, clock, chip, offsets, inputs = [] } = this.#options;
    const lines: Line[] = [];
    try {
      const inputOffsets = inputs.map(({ line }) => line);
      const { base, label } = chipNamed(chipsOf(gpio), chip, [...offsets, ...inputOffsets]);
      const claim = (offset: number): Promise<Claim> =>
        this.#claim(base + offset, { code: 'gpio-line', values: { line: offset, label } });
      for (const [input, offset] of inputOffsets.entries()) await this.#addInput(input, await claim(offset), listener);
      for (const offset of offsets) lines.push({ ...(await claim(offset)), output: null });
      this.#lines = lines;
      if (this.#inputs.some((_input, number) => this.#isWatched(number))) this.#seeAlive(clock.nowMs());
    } catch (error) {
      await this.#giveBack(lines, () => false);
      throw gpioProblem(error, '/sys/class/gpio');
    }
  }

  async drive({ line: index, level, notAfterMs }: DriveOrder): Promise<DriveResult> {
    const { clock, gpio } = this.#options;
    if (this.#lines === null) return { kind: 'failed', problem: cause('board-closed', {}) };
    const line = this.#lines[index];
    if (!line) return { kind: 'failed', problem: cause('no-line', { line: index }) };
    try {
      const atMs = clock.nowMs();
      if (notAfterMs !== null && atMs >= notAfterMs) return { kind: 'too-late' };
      if (line.output) line.output.write(level);
      else line.output = gpio.output(line.number, level);
      return { kind: 'driven', atMs, readBack: readBack(line.output) };
    } catch (error) {
      return { kind: 'failed', problem: causeOf(error) };
    }
  }

  async readInput(number: number): Promise<InputReading> {
    if (this.#lines === null) return { kind: 'failed', problem: cause('board-closed', {}) };
    const input = this.#inputs[number]?.input;
    if (!input) return { kind: 'failed', problem: cause('no-input', { input: number }) };
    try {
      return { kind: 'read', level: input.read() };
    } catch (error) {
      return { kind: 'failed', problem: causeOf(error) };
    }
  }

  async close(inactive: readonly number[] = []): Promise<void> {
    const lines = this.#lines ?? [];
    this.#lines = null;
    this.#cancelAlive();
    await this.#giveBack(lines, (index) => inactive.includes(index));
  }

  async #addInput(number: number, claim: Claim, listener: BoardListener): Promise<void> {
    const held: Input = { ...claim, input: null };
    this.#inputs.push(held);
    const changed = (level: Level | null): void => {
      if (this.#lines === null) return;
      if (level === null) listener.inputsUnread?.([number]);
      else listener.edges?.([{ input: number, level, atMs: this.#earliestMs() }]);
    };
    held.input = await this.#options.gpio.input(claim.number, this.#isWatched(number) ? changed : null);
  }

  #isWatched(number: number): boolean {
    return this.#options.watched?.includes(number) ?? false;
  }

  /** The earliest time of an edge that is handled now. */
  #earliestMs(): number {
    const nowMs = this.#options.clock.nowMs();
    return nowMs - this.#aliveMs > HELD_UP_MS ? this.#aliveMs : nowMs;
  }

  /** If the process was held up, each edge of that time comes up to a turn of the event loop after its timers. */
  #seeAlive(aliveMs: number): void {
    const { clock, slackClock } = this.#options;
    this.#aliveMs = aliveMs;
    const nowMs = clock.nowMs();
    this.#cancelAlive = slackClock.after(ALIVE_MS, () => this.#seeAlive(nowMs));
  }

  async #claim(number: number, what: Cause): Promise<Claim> {
    const { gpio, lock } = this.#options;
    const held = await lock(number);
    if (!held) throw boardRefused('board-busy', 'line-of-guard', { what });
    try {
      return { number, lock: held, wasExported: await gpio.export(number) };
    } catch (error) {
      await held.release();
      throw gpioProblem(error, what);
    }
  }

  /** Unexports lines that this process has exported and never driven, or knows to be inactive. */
  async #giveBack(lines: readonly Line[], isInactive: (index: number) => boolean): Promise<void> {
    for (const { number, lock, wasExported, input } of this.#inputs.splice(0)) {
      try {
        input?.end();
        if (!wasExported) this.#options.gpio.unexport(number);
      } catch {
        // The line stays exported.
      }
      await lock.release();
    }
    for (const [index, { number, lock, wasExported, output }] of lines.entries()) {
      try {
        if (output && isInactive(index)) output.unexport();
        else if (!output && !wasExported) this.#options.gpio.unexport(number);
      } catch {
        // The line stays exported, and as it is.
      }
      await lock.release();
    }
  }
}

function chipsOf(gpio: SysfsGpio): ReturnType<SysfsGpio['chips']> {
  try {
    return gpio.chips();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    throw boardRefused('board-unusable', 'no-sysfs', {}, { cause: error });
  }
}

function readBack(output: SysfsLine): Level | null {
  try {
    return output.read();
  } catch {
    return null;
  }
}
