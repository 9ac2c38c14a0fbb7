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

  get possible(): [T, ...T[]] {
    return this.#underWay === undefined ? [this.#certain] : [this.#certain, this.#underWay];
  }
}

/** Whether each of two is on. */
export type Both = readonly [boolean, boolean];

/**
 * Of two, which one is switched next, and how both are then. One alone would prove nothing: it has two values, and both are
 * possible while it is switched. Two have four in turn, so what was before the acknowledged one is none of the possible.
 */
export function nextOf([first, second]: Both): { which: 0 | 1; isOn: boolean; both: Both } {
  return first === second
    ? { which: 1, isOn: !second, both: [first, !second] }
    : { which: 0, isOn: !first, both: [!first, second] };
}
