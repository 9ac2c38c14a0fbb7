/** Waits for an emulated machine, which is judged by what it does and not by how fast this one is. */
import { monotonicNowMs } from '@relaygate/shared/system';

/** A machine that starts or links reads its card again and again: Node's start alone does so for minutes. */
const STALL_MS = 8 * 60_000;
/** Whatever it does, nobody waits longer. */
export const LIMIT_MS = 40 * 60_000;
const LOOK_MS = 2_000;

/** `done`: what is waited for. `sign`: changes as long as there is progress. */
export async function untilOrStalled(
  done: () => boolean | Promise<boolean>,
  sign: () => Promise<string>,
  what: string,
): Promise<void> {
  const startMs = monotonicNowMs();
  let lastSign = '';
  let changedMs = startMs;
  while (!(await done())) {
    const nowMs = monotonicNowMs();
    const newSign = await sign();
    if (newSign !== lastSign) [lastSign, changedMs] = [newSign, nowMs];
    const stalledS = Math.round((nowMs - changedMs) / 1_000);
    if (nowMs - changedMs > STALL_MS) throw new Error(`${what}: the machine has done nothing for ${stalledS} s`);
    if (nowMs - startMs > LIMIT_MS) throw new Error(`${what}: not within ${LIMIT_MS / 60_000} minutes`);
    await new Promise((resume) => setTimeout(resume, LOOK_MS));
  }
}
