import type { Clock } from '@relaygate/shared';

/** What `done` comes to, or `late` once it has had its time; whatever hangs holds nobody longer. */
export function inTime<T, const L>(clock: Clock, withinMs: number, done: Promise<T>, late: L): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(Math.max(0, withinMs), () => resolve(late));
    done.finally(cancel).then(resolve, reject);
  });
}
