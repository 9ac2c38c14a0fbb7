/** Maintenance locks: from the answer to the technician on, no command of the server moves the output. */
import type { AskedLock } from '../history';
import type { Facts } from './facts';
import type { Violation } from './violation';

export function checkLocks(facts: Facts): Violation[] {
  const { locks } = facts.history;
  return locks.flatMap((lock): Violation[] => {
    const { machine, numOutput, forMs, answeredMs, answer } = lock;
    if (forMs === null || answer !== 'ok' || answeredMs === null || isDoubtful(lock, locks)) return [];
    const { clock } = facts.device(machine);
    const next = locks.find((other) => isSame(other, lock) && other.askedMs > answeredMs);
    const untilMs = Math.min(lock.askedMs + clock.trueDelayMs(forMs), next?.askedMs ?? Number.POSITIVE_INFINITY);
    const orders = facts.orders.filter((order) => order.machine === machine && order.epoch !== null);
    return orders.flatMap(({ commandId, edges, renewals }) =>
      [...edges, ...renewals]
        .filter(({ output, orderedMs }) => output === numOutput && orderedMs > answeredMs && orderedMs < untilMs)
        .map(({ atMs }) => ({
          invariant: 'locks',
          atMs,
          sentence: `output ${numOutput} of ${machine} is moved by ${commandId} although it is locked`,
        })),
    );
  });
}

function isSame(one: AskedLock, other: AskedLock): boolean {
  return one.machine === other.machine && one.numOutput === other.numOutput;
}

/** Another request for this output was on its way at the same time: which one came last nobody outside can say. */
function isDoubtful(lock: AskedLock, all: readonly AskedLock[]): boolean {
  const endMs = lock.answeredMs ?? lock.askedMs;
  return all.some((other) => {
    if (other === lock || !isSame(other, lock) || other.askedMs > endMs) return false;
    return other.answeredMs === null || other.answeredMs > lock.askedMs;
  });
}
