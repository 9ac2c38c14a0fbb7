import type { Fault } from './fault';

/** What is wrong now, each under the key by which it is mended. Bounded by its keys. */
export class Faults {
  readonly #faults = new Map<string, Fault>();
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** False: it is known already. */
  set(key: string, fault: Fault): boolean {
    if (JSON.stringify(this.#faults.get(key)) === JSON.stringify(fault)) return false;
    this.#faults.set(key, fault);
    this.#onChange();
    return true;
  }

  clear(key: string): void {
    if (this.#faults.delete(key)) this.#onChange();
  }

  list(): Fault[] {
    return [...this.#faults.values()];
  }
}
