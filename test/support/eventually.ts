import { monotonicNowMs } from '@relaygate/shared/system';

const POLL_MS = 10;
const PATIENCE_MS = 15_000;

/** Rejects when `done` has not come true within 15 s, or `patienceMs`. */
export async function eventually(done: () => boolean | Promise<boolean>, patienceMs = PATIENCE_MS): Promise<void> {
  const giveUpMs = monotonicNowMs() + patienceMs;
  while (!(await done())) {
    if (monotonicNowMs() > giveUpMs) throw new Error(`waited in vain for ${done.toString().replaceAll(/\s+/g, ' ')}`);
    await new Promise((resume) => setTimeout(resume, POLL_MS));
  }
}

export async function timed<T>(running: Promise<T>): Promise<{ answer: T; tookMs: number }> {
  const startMs = monotonicNowMs();
  return { answer: await running, tookMs: monotonicNowMs() - startMs };
}
