import type { Supervisor } from './supervisor';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const SAME_CTRL_C_MS = 1_000;

export const result = (line: string): void => void process.stdout.write(`${line}\n`);
export const progress = (line: string): void => void process.stderr.write(`${line}\n`);
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * What a launcher runs until Ctrl-C, or until it has ended by itself; then all its programs end. `work` gives the exit
 * code and may wait for `stopped`, which settles with `stoppedCode` at the first signal.
 */
export async function untilStopped(
  programs: Supervisor,
  stoppedCode: number,
  work: (stopped: Promise<number>) => Promise<number>,
): Promise<number> {
  process.once('exit', () => programs.killAll());
  const stopped = stopSignal(() => void programs.stop(true)).then(() => stoppedCode);
  try {
    return await Promise.race([stopped, work(stopped)]);
  } catch (error) {
    progress(messageOf(error));
    return 1;
  } finally {
    await programs.stop();
  }
}

/** Resolves at the first signal; `onImpatience` runs at one that comes later than what one Ctrl-C gives. */
function stopSignal(onImpatience: () => void): Promise<void> {
  return new Promise((resolve) => {
    let askedAtMs: number | null = null;
    const stop = (): void => {
      if (askedAtMs === null) progress('Stopping ...');
      // npm passes on the signal that the terminal has sent to us already.
      else if (performance.now() - askedAtMs > SAME_CTRL_C_MS) onImpatience();
      askedAtMs ??= performance.now();
      resolve();
    };
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
  });
}
