import type { Cancel, Clock, OutputSettings } from '@relaygate/shared';
import { problemOf } from '../program/problem';

const WRITE_AGAIN_MS = 1_000;

/** Where the orders stand that switch the board off without its guard. Synchronous: they are written before the edge that makes the old ones wrong. */
interface OffOrdersFile {
  /** null: there is none. */
  read(): string | null;
  /** The old text or the new one at every moment. */
  replace(text: string): void;
  remove(): void;
}

export interface OffOrdersPorts {
  file: OffOrdersFile;
  /** The orders for outputs of these settings. */
  textOf(outputs: readonly OutputSettings[]): string;
}

/**
 * Keeps the orders as the outputs' polarity wants them. Never throws: a guard that cannot write them holds its relays all
 * the same. Wrong orders would switch a relay on, so those that cannot be replaced are removed; what is missing is
 * a fault, and is tried again.
 */
export class OffOrdersKeeper {
  readonly #ports: OffOrdersPorts;
  readonly #clock: Clock;
  readonly #onFault: (problem: string | null) => void;
  #wanted: string | null = null;
  #cancelRetry: Cancel = () => {};

  /** `onFault` hears null once they are written. */
  constructor(ports: OffOrdersPorts, clock: Clock, onFault: (problem: string | null) => void) {
    this.#ports = ports;
    this.#clock = clock;
    this.#onFault = onFault;
  }

  keep(outputs: readonly OutputSettings[]): void {
    const text = this.#ports.textOf(outputs);
    if (text === this.#wanted) return;
    this.#wanted = text;
    this.#write(text);
  }

  #write(text: string): void {
    const { file } = this.#ports;
    this.#cancelRetry();
    try {
      // What an earlier guard has left may do, and a full tmpfs has no room to write it anew.
      if (file.read() !== text) file.replace(text);
      this.#onFault(null);
    } catch (error) {
      this.#removeOther(text);
      this.#cancelRetry = this.#clock.after(WRITE_AGAIN_MS, () => this.#write(text));
      this.#onFault(problemOf(error));
    }
  }

  #removeOther(text: string): void {
    const { file } = this.#ports;
    try {
      // A write may fail once the new orders stand there.
      if (file.read() === text) return;
    } catch {
      // Nobody knows what they say.
    }
    try {
      file.remove();
    } catch {
      // It is tried again.
    }
  }
}
