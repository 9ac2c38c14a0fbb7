/** What may be found after a crash: the last write that was acknowledged, or the one that was under way. */
export class Acknowledged<T> {
  #certain: T;
  #underWay: T | undefined;

  constructor(initial: T) {
    this.#certain = initial;
  }

  /** `write` resolves when the write is acknowledged; its failure leaves both values possible. */
  async write(value: T, write: () => Promise<void>): Promise<void> {
    this.#underWay = value;
    await write();
    this.#certain = value;
    this.#underWay = undefined;
  }

  get possible(): T[] {
    return this.#underWay === undefined ? [this.#certain] : [this.#certain, this.#underWay];
  }
}
