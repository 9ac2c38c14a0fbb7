import type { GroupCommit, WriteAnswer, WriteRequest } from '../group-commit';
import type { ToWriter } from './writer-messages';

/** What the writer thread has before it: all that waits is one group. First in, first out. */
export class WriteQueue {
  readonly #group: GroupCommit;
  #waiting: WriteRequest[] = [];
  #isClosing = false;

  constructor(group: GroupCommit) {
    this.#group = group;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Nothing comes any more: with nothing left the thread ends. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  take(message: ToWriter): void {
    if (message.kind === 'close') this.#isClosing = true;
    else this.#waiting.push(...message.requests);
  }

  /** One try at all that waits. What the lock holds back stays ahead of what comes since. */
  async runGroup(): Promise<WriteAnswer[]> {
    const requests = this.#waiting;
    this.#waiting = [];
    const { answers, left } = await this.#group.run(requests);
    this.#waiting = [...left, ...this.#waiting];
    return answers;
  }
}
