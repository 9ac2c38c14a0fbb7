/** What several faults at once make of one thing: the newest that still lasts holds; the last one's end mends it. */
export class Layers<Value> {
  readonly #atRest: Value;
  readonly #onChange: (value: Value) => void;
  readonly #layers: { value: Value }[] = [];

  constructor(atRest: Value, onChange: (value: Value) => void = () => {}) {
    this.#atRest = atRest;
    this.#onChange = onChange;
  }

  get top(): Value {
    return (this.#layers.at(-1) ?? { value: this.#atRest }).value;
  }

  /** The result ends it. */
  begin(value: Value): () => void {
    const layer = { value };
    this.#layers.push(layer);
    this.#onChange(this.top);
    return () => {
      this.#layers.splice(this.#layers.indexOf(layer), 1);
      this.#onChange(this.top);
    };
  }
}
