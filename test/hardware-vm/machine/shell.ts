/** Orders to the emulated machine: shell scripts, carried out by guest/hands.mjs. */

const LIMIT_MS = 3 * 60_000;

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

export class Shell {
  readonly #port: number;

  /** `port`: on this machine, forwarded into the emulated one. */
  constructor(port: number) {
    this.#port = port;
  }

  /** Runs a script to its end, whatever its exit code. */
  async try(script: string): Promise<Ran> {
    const url = `http://127.0.0.1:${this.#port}/`;
    const response = await fetch(url, { method: 'POST', body: script, signal: AbortSignal.timeout(LIMIT_MS) });
    return (await response.json()) as Ran;
  }

  /** What a script prints; rejects unless its exit code is 0. */
  async run(script: string): Promise<string> {
    const { code, stdout, stderr } = await this.try(script);
    if (code !== 0) throw new Error(`in the machine: exit code ${code} of\n${script}\n${stderr}${stdout}`);
    return stdout;
  }

  async write(path: string, text: string): Promise<void> {
    const bytes = Buffer.from(text).toString('base64');
    await this.run(`mkdir -p "$(dirname '${path}')" && echo ${bytes} | base64 -d > '${path}'`);
  }

  async read(path: string): Promise<string> {
    return this.run(`cat '${path}'`);
  }
}
