import type { Clock } from '@relaygate/shared';
import type { Answer, Refusal } from '../output-types';
import { EXPIRED, type Job, refusalFor } from './ordered-command';

/** How many commands may wait for one output; one more is refused. I15. */
const MAX_WAITING_COMMANDS = 16;

/** Commands in the order they came. If a command still waits at its deadline, it is answered then. */
export class CommandQueue {
  readonly #clock: Clock;
  #jobs: Job[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isEmpty(): boolean {
    return this.#jobs.length === 0;
  }

  /** If too many wait, answers it at once. */
  add(job: Job): void {
    if (this.#jobs.length >= MAX_WAITING_COMMANDS) return job.answer(refusalFor('busy'));
    const cancel = this.#clock.after(Math.max(0, job.startBeforeMs - this.#clock.nowMs()), () =>
      this.drop((waiting) => (waiting === timed ? EXPIRED : null)),
    );
    const timed = {
      ...job,
      answer(answer: Answer) {
        cancel();
        job.answer(answer);
      },
    };
    this.#jobs.push(timed);
  }

  /** Puts it before all others, because it has been the first already. */
  putBack(job: Job): void {
    this.#jobs.unshift(job);
  }

  next(): Job | undefined {
    return this.#jobs.shift();
  }

  /** Answers the commands that a refusal stands against, with that refusal. */
  drop(refusalOf: (job: Job) => Refusal | null): void {
    const out = this.#jobs.flatMap((job) => {
      const why = refusalOf(job);
      return why ? [{ job, why }] : [];
    });
    this.#jobs = this.#jobs.filter((job) => !out.some((dropped) => dropped.job === job));
    for (const { job, why } of out) job.answer(why);
  }
}
