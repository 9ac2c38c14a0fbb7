/** Maintenance locks: from the answer to the technician on, no command of the server moves the output. */
import { type AskedLock, oldUntilMs } from '../witnesses/on-site-records';
import { buttonCommandOf, buttonOf } from '../witnesses/presses';
import type { Facts } from './facts';
import type { Order } from './orders';
import type { Violation } from './violation';

export function checkLocks(facts: Facts): Violation[] {
  const { locks } = facts.history;
  return locks.flatMap((lock): Violation[] => {
    const { machine, numOutput, forMs, answeredMs, answer } = lock;
    const isInForce = answer === 'ok' || answer === 'unsaved';
    if (forMs === null || !isInForce || answeredMs === null || isDoubtful(lock, locks)) return [];
    const { clock, agent } = facts.device(machine);
    const next = locks.find((other) => isSame(other, lock) && other.askedMs > answeredMs);
    const ends = [lock.askedMs + clock.trueDelayMs(forMs), ...(next ? [next.askedMs] : [])];
    if (answer === 'unsaved') ends.push(endOfAgent(facts, agent.name, lock.askedMs));
    const wipedMs = facts.wipingsOf(machine).map(oldUntilMs);
    ends.push(...wipedMs.filter((atMs) => atMs >= lock.askedMs));
    const untilMs = Math.min(...ends);
    const orders = facts.orders.filter((order) => order.machine === machine && isBlocked(facts, order));
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

/** A technician's moves it all the same; a button's where it is set up so. */
function isBlocked(facts: Facts, { machine, commandId, epoch }: Order): boolean {
  const command = buttonCommandOf(commandId);
  if (!command) return epoch !== null;
  return (
    command.what === 'press' && buttonOf(facts.device(machine).setup.inputs, command.numInput)?.obeysLocks !== false
  );
}

/** What is not saved ends with the agent that was asked, which may be dead before its answer is heard. */
function endOfAgent(facts: Facts, name: string, askedMs: number): number {
  const ends = facts.livesOf(name).map(({ untilMs }) => untilMs ?? Number.POSITIVE_INFINITY);
  return Math.min(...ends.filter((endMs) => endMs >= askedMs));
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
