/** Deliberate faults of the numbers that changes get, and of the stream of them. */
import { Revisions } from '@relaygate/server/storage/revisions';
import { changed } from './changed';
import type { Sabotage } from './sabotage';

const RARELY = 20;

/** True once in so many calls. */
function rarely(): () => boolean {
  let calls = 0;
  return () => {
    calls += 1;
    return calls % RARELY === 0;
  };
}

/** A change gets the number of the one before it. */
export function countsNoChange(): Sabotage {
  const isWrong = rarely();
  return {
    inside: () =>
      changed(
        Revisions.prototype,
        'next',
        (next) =>
          async function (this: Revisions, rows) {
            const [writer, revision] = await next.call(this, rows);
            return [writer, isWrong() ? revision - 1 : revision] as const;
          },
      ),
  };
}

/** The number is not kept with what it was given to: the next transaction gives it again. */
export function keepsNumbersApart(): Sabotage {
  const isWrong = rarely();
  return {
    inside: () =>
      changed(
        Revisions.prototype,
        'keep',
        (keep) =>
          async function (this: Revisions) {
            if (isWrong()) this.returnTo(undefined);
            else await keep.call(this);
          },
      ),
  };
}

export function skipsChanges(): Sabotage {
  const isWrong = rarely();
  return {
    changeStore: (store) => ({
      ...store,
      changesSince: async (seen, limit) => {
        const { changes, cursor } = await store.changesSince(seen, limit);
        return { changes: changes.filter(() => !isWrong()), cursor };
      },
    }),
  };
}

export function reportsChangesAgain(): Sabotage {
  const isWrong = rarely();
  return {
    changeStore: (store) => ({
      ...store,
      changesSince: (seen, limit) => store.changesSince(isWrong() ? new Map() : seen, limit),
    }),
  };
}

/** Below how often the database is asked without being woken. */
const SHORT_MS = 200;

/** Whoever was not woken reads nothing. */
export function waitsToBeWoken(): Sabotage {
  return {
    changeClock: (clock) => ({
      nowMs: () => clock.nowMs(),
      after: (delayMs, run) => (delayMs > SHORT_MS ? () => {} : clock.after(delayMs, run)),
    }),
  };
}
