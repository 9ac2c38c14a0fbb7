/** Something that was on and off over time. */
export class Switch {
  /** In the order of time. */
  readonly #changes: { atMs: number; isOn: boolean }[] = [];

  set(atMs: number, isOn: boolean): void {
    this.#changes.push({ atMs, isOn });
  }

  get changesMs(): number[] {
    return this.#changes.map(({ atMs }) => atMs);
  }

  at(ms: number, byDefault: boolean): boolean {
    return this.#changes.findLast(({ atMs }) => atMs <= ms)?.isOn ?? byDefault;
  }

  wasEver(isOn: boolean, fromMs: number, untilMs: number, byDefault: boolean): boolean {
    if (this.at(fromMs, byDefault) === isOn) return true;
    return this.#changes.some((change) => change.isOn === isOn && change.atMs > fromMs && change.atMs <= untilMs);
  }
}
