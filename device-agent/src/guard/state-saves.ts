/** Saves of one output's state: only the newest one's answer counts. */
export class StateSaves {
  readonly #write: (active: boolean) => Promise<void>;
  readonly #answered: (kind: 'saved' | 'save-failed') => void;
  #saves = 0;

  constructor(write: (active: boolean) => Promise<void>, answered: (kind: 'saved' | 'save-failed') => void) {
    this.#write = write;
    this.#answered = answered;
  }

  save(active: boolean): void {
    this.#saves += 1;
    const saves = this.#saves;
    const answer = (kind: 'saved' | 'save-failed'): void => {
      if (this.#saves === saves) this.#answered(kind);
    };
    this.#write(active).then(
      () => answer('saved'),
      () => answer('save-failed'),
    );
  }
}
