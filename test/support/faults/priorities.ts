import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/**
 * Prefix of a command that starts a program: while it starts, programs that run already come first. On two cores many
 * starts at once would else make pulses and answers late, and that is not what a fault asks.
 */
export const QUIETLY: readonly string[] = ['nice', '-n', '5'];
const SERVER_PRIORITY = -10;

/** From here on it counts like the others, or more where it asked for more. Only root can; else all stay as they were. */
export function atFullPriority(pid: number): void {
  prioritise(pid, (present) => Math.min(present, 0));
}

/**
 * A server has a machine of its own; beside its forty devices it would wait for them, and its answers with it. Only root
 * can. Threads that it starts later have what the one has that starts them.
 */
export function asOnItsOwn(pid: number): void {
  prioritise(pid, () => SERVER_PRIORITY);
}

function prioritise(pid: number, priorityOf: (present: number) => number): void {
  try {
    // Priorities belong to threads.
    for (const thread of readdirSync(`/proc/${pid}/task`).map(Number))
      setPriority(thread, priorityOf(getPriority(thread)));
  } catch {
    // Not root, or the program has ended, which whoever waits for it will see.
  }
}
