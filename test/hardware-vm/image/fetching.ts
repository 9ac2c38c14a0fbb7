/** Downloads: tried again, and told in a line when they fail for good. */

const TRIES = 3;
const PAUSE_MS = 5_000;

/** `work` fetches, by a program that is waited for, and may be repeated. */
export function fetched<T>(what: string, work: () => T): T {
  for (let tries = 1; ; tries += 1) {
    try {
      return work();
    } catch (error) {
      const problem = `${what} cannot be fetched: ${wordsOf(error)}`;
      if (tries === TRIES) throw new Error(`${problem} (${TRIES} tries)`, { cause: error });
      process.stderr.write(`  ${problem}; once more ...\n`);
      pause(PAUSE_MS);
    }
  }
}

/** What a program that has failed said last. */
function wordsOf(error: unknown): string {
  const { code, stderr } = error as { code?: unknown; stderr?: unknown };
  if (code === 'ETIMEDOUT') return 'it takes too long';
  const lines = String(stderr ?? '').split('\n');
  const last = lines.findLast((line) => line.trim() !== '');
  return last ?? String(error);
}

/** Everything that makes an image is synchronous, so waiting is too. */
export function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
