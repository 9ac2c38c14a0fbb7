/** What is wrong now, one short sentence each, under a key by which it is mended. Bounded by its keys. */
export class Faults {
  readonly #texts = new Map<string, string>();
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  set(key: string, text: string): void {
    if (this.#texts.get(key) === text) return;
    this.#texts.set(key, text);
    this.#onChange();
  }

  clear(key: string): void {
    if (this.#texts.delete(key)) this.#onChange();
  }

  list(): string[] {
    return [...this.#texts.values()];
  }
}
