/** Orders to the emulated machine: shell scripts, typed into systemd's debug shell on its serial line. */
import type { ChildProcess } from 'node:child_process';
import { eventually } from '../support/eventually';

const LIMIT_MS = 3 * 60_000;
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

  /** Resolves when somebody listens there. */
  async open(patienceMs: number): Promise<void> {
    let knockedMs = Number.NEGATIVE_INFINITY;
    await eventually(async () => {
      if (performance.now() - knockedMs > KNOCK_MS) {
        knockedMs = performance.now();
        // On a terminal systemctl starts a pager, which adds its own characters. The echo has the quotes, the answer not.
        this.#type("stty -echo; export TERM=dumb SYSTEMD_PAGER=; echo the shell is r''eady");
      }
      return this.#text.includes('the shell is ready');
    }, patienceMs);
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
