/** The person at relayctl's terminal. */
import { readFileSync } from 'node:fs';
import type { Interface } from 'node:readline';
import { plainLine, plainText } from '@relaygate/shared/plain-text';

const STDIN = 0;

/** One reader for all questions: lines that come early, through a pipe, wait for theirs. */
class Lines {
  readonly #early: string[] = [];
  readonly #input: Interface;
  #waiting: ((line: string | null) => void) | null = null;
  #isOver = false;

  constructor() {
    // Loaded for the first question only: relayctl starts fast.
    const { createInterface }: typeof import('node:readline') = require('node:readline');
    this.#input = createInterface({ input: process.stdin, output: process.stderr });
    this.#input.on('line', (line) => this.#take(line));
    this.#input.on('close', () => {
      this.#isOver = true;
      this.#waiting?.(null);
    });
  }

  /** null: there are no more. */
  next(question: string): Promise<string | null> {
    process.stderr.write(plainText(question));
    const early = this.#early.shift();
    if (early !== undefined || this.#isOver) return Promise.resolve(early ?? null);
    return new Promise((resolve) => {
      this.#input.resume();
      this.#waiting = resolve;
    });
  }

  #take(line: string): void {
    const resolve = this.#waiting;
    this.#waiting = null;
    if (!resolve) {
      this.#early.push(line);
      return;
    }
    // Else it would keep the program from ending.
    this.#input.pause();
    resolve(line);
  }
}

let lines: Lines | null = null;

export const terminal = {
  /** Questions go to stderr. */
  isInteractive: (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true,
  /** The question goes to stderr, so that stdout stays what the command prints. null: nobody answers any more. */
  async ask(question: string): Promise<string | null> {
    lines ??= new Lines();
    const line = await lines.next(question);
    // Else the next output would stand behind the question.
    if (line === null) process.stderr.write('\n');
    return line?.trim() ?? null;
  },
  note: (text: string): void => void process.stderr.write(`${plainText(text)}\n`),
  /** Shows one line that the next one overwrites, if somebody watches. An empty one leaves nothing. */
  progress(text: string): void {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${plainLine(text)}`);
  },
  /** A file's text, of `-` that of stdin. Throws the system's error. */
  textOf: (file: string): string => readFileSync(file === '-' ? STDIN : file, 'utf8'),
};
