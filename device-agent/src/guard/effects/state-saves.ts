import type { Cancel, Clock } from '@relaygate/shared';

type Answer = 'saved' | 'save-failed';

/** What a save waits for before the disk is asked. */
export interface SaveCondition {
  met: Promise<void>;
  withinMs: number;
}

/** Saves one output's state: only the newest save's answer counts, and it comes in time. */
export class StateSaves {
  readonly #clock: Clock;
  readonly #write: (active: boolean) => Promise<void>;
  readonly #answered: (kind: Answer) => void;
  #saves = 0;
  #isAnswered = true;
  #cancel: Cancel = () => {};

  constructor(clock: Clock, write: (active: boolean) => Promise<void>, answered: (kind: Answer) => void) {
    this.#clock = clock;
    this.#write = write;
    this.#answered = answered;
  }

  /**
   * Answered at the latest when the disk has had `patienceMs`, or the condition its time. A slower save goes on, unless a
   * newer one has come.
   */
  save(active: boolean, patienceMs: () => number, condition: SaveCondition | null = null): void {
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
    const answerWithin = (ms: number): void => {
      this.#cancel();
      this.#cancel = this.#clock.after(ms, () => answer('save-failed'));
    };
    const write = async (): Promise<void> => {
      if (condition !== null) {
        answerWithin(condition.withinMs);
        await condition.met;
        if (!isNewest()) return;
      }
      if (!this.#isAnswered) answerWithin(patienceMs());
      await this.#write(active);
    };
    write().then(
      () => answer('saved'),
      () => answer('save-failed'),
    );
  }
}
