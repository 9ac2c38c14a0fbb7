import type { Cancel, Clock } from '@relaygate/shared';

type Answer = 'saved' | 'save-failed';

/** Saves of one output's state: only the newest one's answer counts, and it comes in time. */
export class StateSaves {
  readonly #clock: Clock;
  readonly #write: (active: boolean, isNewest: () => boolean) => Promise<void>;
  readonly #answered: (kind: Answer) => void;
  #saves = 0;
  #isAnswered = true;
  #cancel: Cancel = () => {};

  /** `write` may have to wait for something; a save that is not the newest one by then is not made any more. */
  constructor(
    clock: Clock,
    write: (active: boolean, isNewest: () => boolean) => Promise<void>,
    answered: (kind: Answer) => void,
  ) {
    this.#clock = clock;
    this.#write = write;
    this.#answered = answered;
  }

  /** Answered by `patienceMs` at the latest; what is slower is written all the same. */
  save(active: boolean, patienceMs: number): void {
    this.#saves += 1;
    const saves = this.#saves;
    this.#isAnswered = false;
    const isNewest = (): boolean => this.#saves === saves;
    const answer = (kind: Answer): void => {
      if (!isNewest() || this.#isAnswered) return;
      this.#isAnswered = true;
      this.#cancel();
      this.#answered(kind);
    };
    this.#cancel();
    this.#cancel = this.#clock.after(patienceMs, () => answer('save-failed'));
    this.#write(active, isNewest).then(
      () => answer('saved'),
      () => answer('save-failed'),
    );
  }
}
