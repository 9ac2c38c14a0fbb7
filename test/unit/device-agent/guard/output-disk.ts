/** The state file of one output: what a power cut leaves, and what it is on its way to. */
export class OutputDisk {
  #durable = false;
  #wanted = false;
  #saves: number[] = [];
  #lastSave = 0;

  get durable(): boolean {
    return this.#durable;
  }

  /** What is to be durable: what could not be saved is tried again. */
  get wanted(): boolean {
    return this.#wanted;
  }

  get isBusy(): boolean {
    return this.#saves.length > 0;
  }

  get isQuiet(): boolean {
    return !this.isBusy && this.#wanted === this.#durable;
  }

  save(active: boolean): void {
    this.#wanted = active;
    this.#lastSave += 1;
    this.#saves.push(this.#lastSave);
  }

  /** Whether the newest save has its answer by this one. */
  answers(works: boolean): boolean {
    const save = this.#saves.shift();
    // Whatever was asked for meanwhile goes along; what could not be saved is tried again.
    if (works) this.#durable = this.#wanted;
    return save !== undefined && save === this.#lastSave;
  }

  holds(active: boolean): void {
    this.#wanted = this.#durable = active;
  }

  /** Whoever was writing is gone. */
  restart(): void {
    this.#saves = [];
    this.#wanted = this.#durable;
  }
}
