import type { Clock } from '@relaygate/shared';

/** The result of `done`, or `late` after `withinMs`, so that a hang delays nobody for longer. */
export function inTime<T, const L>(clock: Clock, withinMs: number, done: Promise<T>, late: L): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(Math.max(0, withinMs), () => resolve(late));
    done.finally(cancel).then(resolve, reject);
  });
}
