import { monotonicNowMs } from '@relaygate/shared/system';

/** Looking costs the machine something: often at first, then less so. */
const POLL_MS = 10;
const LONGEST_POLL_MS = 100;
const SLOWER = 1.3;
const PATIENCE_MS = 15_000;

/** For what lasts a given time; what can be awaited by an event or a look is. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Rejects when `done` has not come true within 15 s, or `patienceMs`. */
export async function eventually(done: () => boolean | Promise<boolean>, patienceMs?: number): Promise<void> {
  await found(async () => (await done()) || undefined, `waited in vain for ${textOf(done)}`, patienceMs);
}

/** What `look` finds, as soon as that is not undefined. Rejects with `problem` when there is nothing after 15 s, or `patienceMs`. */
export async function found<T>(
  look: () => Promise<T | undefined>,
  problem = `nothing was found by ${textOf(look)}`,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const giveUpMs = monotonicNowMs() + patienceMs;
  for (let pollMs = POLL_MS; ; pollMs = Math.min(LONGEST_POLL_MS, pollMs * SLOWER)) {
    const result = await look();
    if (result !== undefined) return result;
    if (monotonicNowMs() > giveUpMs) throw new Error(problem);
    await pause(pollMs);
  }
}

function textOf(condition: () => unknown): string {
  return condition.toString().replaceAll(/\s+/g, ' ');
}
