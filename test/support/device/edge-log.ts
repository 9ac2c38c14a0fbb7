import { existsSync, readFileSync } from 'node:fs';

/** One switching of the simulated board. level 1 = relay energised; atMs on CLOCK_MONOTONIC. */
export interface Edge {
  readonly output: number;
  readonly level: 0 | 1;
  readonly atMs: number;
}

const POLL_MS = 20;

/** Reads what the simulated board writes: one JSON line an edge. */
export class EdgeLog {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  edges(): Edge[] {
    if (!existsSync(this.#file)) return [];
    const text = readFileSync(this.#file, 'utf8');
    // What stands behind the last line break is a line still being written.
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }

  /** The edges from the `from`th on, as soon as there are `count` of them; what is there when the time is over. */
  async since(from: number, count: number, timeoutMs: number): Promise<Edge[]> {
    const giveUpAtMs = performance.now() + timeoutMs;
    for (;;) {
      const edges = this.edges().slice(from);
      if (edges.length >= count || performance.now() > giveUpAtMs) return edges;
      await new Promise((resume) => setTimeout(resume, POLL_MS));
    }
  }
}
