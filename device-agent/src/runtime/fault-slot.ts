import { faultText } from '../locales/fault-text';
import type { Fault } from './fault';
import type { Log } from './log';

/** One thing that may be wrong; it is logged once, and not with each try. */
export class FaultSlot {
  readonly #log: Log;
  readonly #onChange: () => void;
  #fault: Fault | null = null;

  constructor(log: Log, onChange: () => void) {
    this.#log = log;
    this.#onChange = onChange;
  }

  get fault(): Fault | null {
    return this.#fault;
  }

  /** None or one. */
  get list(): Fault[] {
    return this.#fault === null ? [] : [this.#fault];
  }

  /** null: it is well again. */
  set(fault: Fault | null): void {
    if (JSON.stringify(fault) === JSON.stringify(this.#fault)) return;
    this.#fault = fault;
    if (fault !== null) this.#log.warn(faultText(fault));
    this.#onChange();
  }
}
