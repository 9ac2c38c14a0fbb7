import { monotonicNowMs } from '@relaygate/shared/system';

/** Looking costs the machine something: often at first, then less so. */
const POLL_MS = 10;
const LONGEST_POLL_MS = 100;
const SLOWER = 1.3;
const PATIENCE_MS = 15_000;

/** Rejects when `done` has not come true within 15 s, or `patienceMs`. */
export async function eventually(done: () => boolean | Promise<boolean>, patienceMs = PATIENCE_MS): Promise<void> {
  const giveUpMs = monotonicNowMs() + patienceMs;
  for (let pollMs = POLL_MS; !(await done()); pollMs = Math.min(LONGEST_POLL_MS, pollMs * SLOWER)) {
    if (monotonicNowMs() > giveUpMs) throw new Error(`waited in vain for ${done.toString().replaceAll(/\s+/g, ' ')}`);
    await new Promise((resume) => setTimeout(resume, pollMs));
  }
}
