/** Orders to the emulated machine: shell scripts, typed into systemd's debug shell on its serial line. */
import type { ChildProcess } from 'node:child_process';

/** A program of Node's takes two minutes where this machine has five times the work it could do. */
const LIMIT_MS = 10 * 60_000;
const KNOCK_MS = 3_000;
const KEPT_CHARS = 200_000;

export interface Ran {
  code: number;
  output: string;
}

export class SerialShell {
  readonly #child: ChildProcess;
  #text = '';
  #count = 0;
  #knockedMs = Number.NEGATIVE_INFINITY;
  #isOpen = false;
  #onText = (): void => {};

  constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#text = (this.#text + text.replaceAll('\r', '')).slice(-KEPT_CHARS);
      this.#onText();
    });
    child.stdin?.on('error', () => {});
  }

  /** All that came last, for messages. */
  get lastText(): string {
    return this.#text.slice(-4_000);
  }

  /** Whether somebody listens there; asked again and again, until somebody does. */
  knock(): boolean {
    if (performance.now() - this.#knockedMs > KNOCK_MS && !this.#isOpen) {
      this.#knockedMs = performance.now();
      // On a terminal systemctl starts a pager, which adds its own characters. The echo has the quotes, the answer not.
      this.#type("stty -echo; export TERM=dumb SYSTEMD_PAGER=; echo the shell is r''eady");
    }
    this.#isOpen ||= this.#text.includes('the shell is ready');
    return this.#isOpen;
  }

  /** One whose end nobody waits for. */
  order(command: string): void {
    this.#type(command);
  }

  /** What a script prints; rejects unless its exit code is 0. */
  async run(script: string): Promise<string> {
    const { code, output } = await this.try(script);
    if (code !== 0) throw new Error(`in the machine: exit code ${code} of\n${script}\n${output}`);
    return output;
  }

  /** Runs a script to its end; one at a time. */
  try(script: string): Promise<Ran> {
    this.#count += 1;
    const mark = `rg${this.#count}`;
    const text = Buffer.from(script).toString('base64');
    // In lines that a terminal takes.
    this.#type(`t=; ${(text.match(/.{1,800}/g) ?? []).map((part) => `t="$t"${part}`).join('\n')}`);
    this.#type(`echo "<$((0))${mark}<"; echo $t | base64 -d | sh 2>&1; echo ">$?${mark}>"`);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`the machine has not ended within ${LIMIT_MS} ms:\n${script}\n${this.lastText}`));
      }, LIMIT_MS);
      const look = (): void => {
        const [, output = '', code] = new RegExp(`<0${mark}<\n([^]*)>([0-9]+)${mark}>`).exec(this.#text) ?? [];
        if (code === undefined) return;
        clearTimeout(timer);
        this.#onText = () => {};
        resolve({ code: Number(code), output });
      };
      this.#onText = look;
      look();
    });
  }

  #type(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }
}
