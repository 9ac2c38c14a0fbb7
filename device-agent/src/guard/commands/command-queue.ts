import type { Clock } from '@relaygate/shared';
import { type Answer, BUSY, EXPIRED, type Job, type Refusal } from './ordered-command';

/** Commands that wait for one output; one more is refused. I15. */
const MAX_WAITING_COMMANDS = 16;

/** Commands in the order they came. One that still waits at its deadline is answered then, whatever it waits for. */
export class CommandQueue {
  readonly #clock: Clock;
  #jobs: Job[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isEmpty(): boolean {
    return this.#jobs.length === 0;
  }

  /** Answers it where too many wait. */
  add(job: Job): void {
    if (this.#jobs.length >= MAX_WAITING_COMMANDS) return job.answer(BUSY);
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

  /** Before all others: it has been the first already. */
  putBack(job: Job): void {
    this.#jobs.unshift(job);
  }

  next(): Job | undefined {
    return this.#jobs.shift();
  }

  /** Answers those that do not wait any more, with what stands against each. */
  drop(refusalOf: (job: Job) => Refusal | null): void {
    const out = this.#jobs.flatMap((job) => {
      const why = refusalOf(job);
      return why ? [{ job, why }] : [];
    });
    this.#jobs = this.#jobs.filter((job) => !out.some((dropped) => dropped.job === job));
    for (const { job, why } of out) job.answer(why);
  }
}
