import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';

/** A process that makes load, asked one thing after the other over IPC. */
export class LoadProcess<Question extends object, Answer> {
  readonly #name: string;
  readonly #child: ChildProcess;

  /** `name`: of a file in this folder. */
  constructor(name: string) {
    this.#name = name;
    this.#child = fork(join(__dirname, `${name}.js`), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  }

  /** Rejects when the process cannot do it, or ends. */
  ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        this.#child.off('message', heard);
        this.#child.off('exit', ended);
      };
      const heard = (answer: { value: Answer } | { problem: string }): void => {
        settle();
        if ('problem' in answer) reject(new Error(`${this.#name}: ${answer.problem}`));
        else resolve(answer.value);
      };
      const ended = (): void => {
        settle();
        reject(new Error(`${this.#name} has ended`));
      };
      this.#child.on('message', heard).on('exit', ended);
      this.#child.send(question);
    });
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.disconnect();
    await ended;
  }
}

/** The other side of it: answers each question until the benchmark hangs up. */
export function answerQuestions<Question, Answer>(answer: (question: Question) => Promise<Answer>): void {
  process.on('message', (question: Question) => {
    answer(question).then(
      (value) => process.send?.({ value }),
      (error: unknown) => process.send?.({ problem: error instanceof Error ? error.message : String(error) }),
    );
  });
  process.on('disconnect', () => process.exit());
}
