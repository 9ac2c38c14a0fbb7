import { isSameWiring, type Wiring } from '../settings/wiring';

/** The outputs that have clicked for somebody who watched, since the wiring has changed or this agent has started. */
export class ClickedOutputs {
  #clicked: { wiring: Wiring; outputs: Set<number> } | null = null;

  add(numOutput: number, wiring: Wiring): void {
    if (!this.#clicked || !isSameWiring(this.#clicked.wiring, wiring)) this.#clicked = { wiring, outputs: new Set() };
    this.#clicked.outputs.add(numOutput);
  }

  missing(wiring: Wiring): number[] {
    const clicked = this.#clicked && isSameWiring(this.#clicked.wiring, wiring) ? this.#clicked.outputs : new Set();
    return [...wiring.activeLevels.keys()].filter((numOutput) => !clicked.has(numOutput));
  }
}
