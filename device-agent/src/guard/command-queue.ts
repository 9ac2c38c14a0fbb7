import type { Job } from './ordered-command';

/** Commands that wait for one output; one more is refused. I15. */
const MAX_WAITING_COMMANDS = 16;

export class CommandQueue {
  #jobs: Job[] = [];

  get isEmpty(): boolean {
    return this.#jobs.length === 0;
  }

  /** False: too many wait. */
  add(job: Job): boolean {
    if (this.#jobs.length >= MAX_WAITING_COMMANDS) return false;
    this.#jobs.push(job);
    return true;
  }

  /** Before all others: it has been the first already. */
  putBack(job: Job): void {
    this.#jobs.unshift(job);
  }

  next(): Job | undefined {
    return this.#jobs.shift();
  }

  /** Those that do not wait any more. */
  takeOut(isOut: (job: Job) => boolean): Job[] {
    const out = this.#jobs.filter(isOut);
    this.#jobs = this.#jobs.filter((job) => !isOut(job));
    return out;
  }
}
