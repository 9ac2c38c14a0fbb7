/** Whether the relay board is away, and which outputs their policy wants on when it is back. */
export class BoardAbsence {
  #problem: string | null = null;
  readonly #onWhenBack = new Set<number>();

  /** Why it is away; null: it is there. */
  get problem(): string | null {
    return this.#problem;
  }

  begin(problem: string): void {
    this.#problem = problem;
  }

  /** A board that is looked for with each order says nothing when it is back, it just works again. */
  end(): void {
    this.#problem = null;
  }

  /** The outputs that are to go on now. */
  takeWanted(): ReadonlySet<number> {
    const wanted = new Set(this.#onWhenBack);
    this.#onWhenBack.clear();
    return wanted;
  }

  want(numOutput: number): void {
    this.#onWhenBack.add(numOutput);
  }

  wants(numOutput: number): boolean {
    return this.#onWhenBack.has(numOutput);
  }
}
