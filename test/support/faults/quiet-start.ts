import { readdirSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * Prefix of a command that starts a program: while it starts, programs that run already come first. On two cores many
 * starts at once would else make pulses and answers late, and that is not what a fault asks.
 */
export const QUIETLY: readonly string[] = ['nice', '-n', '5'];

/** From here on it counts like the others. Only root can; without it all of them stay as they started. */
export function atFullPriority(pid: number): void {
  try {
    // Priorities belong to threads.
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), 0);
  } catch {
    // Not root, or the program has ended, which whoever waits for it will see.
  }
}
