import type { Cancel, Clock } from '@relaygate/shared';
import type { OutputSettings } from '@relaygate/shared/device';
import type { Cause } from '../runtime/cause';
import { causeOf } from '../runtime/problem';
import type { OutputView } from './guard-view';
import { urgentOutputs } from './urgent-outputs';

const WRITE_AGAIN_MS = 1_000;

/** Where the orders stand that switch the board off without its guard. Synchronous: they are written before the edge that makes the old ones wrong. */
interface OffOrdersFile {
  /** null: there is none. */
  read(): string | null;
  /** The old text or the new one at every moment. */
  replace(text: string): void;
  remove(): void;
}

export interface OffOrdersDeps {
  file: OffOrdersFile;
  /** The orders for outputs of these settings, those for the boards of `urgent` outputs first. */
  textOf(outputs: readonly OutputSettings[], urgent: readonly number[]): string;
}

/**
 * Keeps the orders right for the outputs' polarity, pulsing outputs first. Never throws: a guard that cannot write them
 * holds its relays all the same. Wrong orders would switch a relay on, so orders that cannot be replaced are removed.
 * Missing orders are a fault, and are tried again. Right orders in another sequence stay.
 */
export class OffOrdersKeeper {
  readonly #deps: OffOrdersDeps;
  readonly #clock: Clock;
  readonly #onFault: (problem: Cause | null) => void;
  #wanted: string | null = null;
  #cancelRetry: Cancel = () => {};

  /** `onFault` hears null once they are written. */
  constructor(deps: OffOrdersDeps, clock: Clock, onFault: (problem: Cause | null) => void) {
    this.#deps = deps;
    this.#clock = clock;
    this.#onFault = onFault;
  }

  keep(outputs: readonly OutputView[]): void {
    const text = this.#deps.textOf(
      outputs.map(({ settings }) => settings),
      urgentOutputs(outputs),
    );
    if (text === this.#wanted) return;
    this.#wanted = text;
    this.#write(text);
  }

  #write(text: string): void {
    const { file } = this.#deps;
    this.#cancelRetry();
    try {
      // The orders of an earlier guard may be right, and a full tmpfs has no room for new ones.
      if (file.read() !== text) file.replace(text);
      this.#onFault(null);
    } catch (error) {
      this.#cancelRetry = this.#clock.after(WRITE_AGAIN_MS, () => this.#write(text));
      this.#onFault(this.#isRight(text) ? null : causeOf(error));
    }
  }

  /** Whether the file's orders switch the same outputs off, in any sequence; else they are removed. */
  #isRight(text: string): boolean {
    const { file } = this.#deps;
    try {
      const found = file.read();
      if (found !== null && wordsOf(found) === wordsOf(text)) return true;
    } catch {
      // Nobody knows what they say.
    }
    try {
      file.remove();
    } catch {
      // It is tried again.
    }
    return false;
  }
}

function wordsOf(orders: string): string {
  return orders.split(/\s+/).sort().join(' ');
}
