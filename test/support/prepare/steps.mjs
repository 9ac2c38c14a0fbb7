// Shows on stderr which step of how many is at work, for how long, and how far it is: on a terminal one line that is
// written anew each second, elsewhere a line now and then.

const TICK_MS = 1_000;
const LOG_EVERY_MS = 15_000;
const CLEAR_LINE = '\r\x1b[2K';

export class Steps {
  #number = 0;
  #total;
  #out;

  /** `out`: what `process.stderr` is. */
  constructor(total, out = process.stderr) {
    this.#total = total;
    this.#out = out;
  }

  /** A step that has nothing to do: only its number goes by. */
  pass() {
    this.#number += 1;
  }

  /**
   * Runs `work(show)`, which may call `show(detail)` with how far it is and returns what to say at its end, or nothing.
   * A step that fails leaves its line as it is.
   */
  async run(title, work) {
    this.#number += 1;
    const head = `[${this.#number}/${this.#total}] ${title}`;
    const startedAt = Date.now();
    let detail = '';
    let loggedAt = startedAt;
    const line = () => `${head}: ${[detail, secondsSince(startedAt)].filter(Boolean).join(', ')}`;
    const tick = () => {
      if (this.#out.isTTY) return void this.#out.write(CLEAR_LINE + line().slice(0, (this.#out.columns || 80) - 1));
      if (Date.now() - loggedAt < LOG_EVERY_MS) return;
      loggedAt = Date.now();
      this.#out.write(`${line()}\n`);
    };
    this.#out.write(`${head} ...${this.#out.isTTY ? '' : '\n'}`);
    const timer = setInterval(tick, TICK_MS);
    try {
      detail = (await work((text) => (detail = text))) ?? '';
      const done = detail ? `done (${detail})` : 'done';
      this.#out.write(`${this.#out.isTTY ? CLEAR_LINE : ''}${head}: ${done}, ${secondsSince(startedAt)}\n`);
    } catch (error) {
      if (this.#out.isTTY) this.#out.write('\n');
      throw error;
    } finally {
      clearInterval(timer);
    }
  }

  /** The last step, which the caller's program shows by itself. */
  announce(title) {
    this.#number += 1;
    this.#out.write(`[${this.#number}/${this.#total}] ${title} ...\n`);
  }
}

const secondsSince = (startedAt) => `${((Date.now() - startedAt) / 1000).toFixed(0)} s`;
