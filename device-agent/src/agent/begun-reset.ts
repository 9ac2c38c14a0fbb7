import { type Clock, EXECUTION_DEADLINE_MS, pause, RelaygateError } from '@relaygate/shared';
import type { FactoryReset } from '../files/factory-reset';
import { GuardClient } from '../guard/client';
import type { DialLines } from '../ipc/line-connection';
import type { Log } from '../runtime/log';
import { problemOf } from '../runtime/problem';

/** How often a guard that runs is asked. */
const RETRY_MS = 200;
/** Longer than a guard tries to switch off; then the next start of the agent goes on. */
const PATIENCE_MS = 10_000;

interface GuardLock {
  release(): Promise<void>;
}

export interface BegunResetDeps {
  factoryReset: FactoryReset;
  dialGuard: DialLines;
  /** While it is held, no guard runs and none starts; null: one runs. */
  lockGuardOut(): Promise<GuardLock | null>;
  clock: Clock;
  log: Log;
}

/**
 * Finishes the factory reset that a former agent has begun. A guard that read no mark may have been started meanwhile, and
 * holds outputs on: it must end first. Rejects with `guard-unreachable` if it does not, and nothing is wiped; or with the
 * disk's error.
 */
export async function finishBegunReset(deps: BegunResetDeps): Promise<void> {
  const lock = await withoutGuard(deps);
  try {
    await deps.factoryReset.finish();
  } finally {
    await lock.release();
  }
}

async function withoutGuard(deps: BegunResetDeps): Promise<GuardLock> {
  const { clock, lockGuardOut } = deps;
  const untilMs = clock.nowMs() + PATIENCE_MS;
  for (;;) {
    const problem = await endGuard(deps);
    const lock = await lockGuardOut();
    if (lock) return lock;
    if (clock.nowMs() >= untilMs) {
      const what = `The factory reset that was begun waits for relaygate-guard, which runs and does not end (${problem})`;
      throw new RelaygateError('guard-unreachable', `${what}; nothing more is wiped until then. Restart this device.`);
    }
    await pause(clock, RETRY_MS);
  }
}

/**
 * Has the guard that listens switch everything off and end. Resolves when it has answered, or cannot; with why it may still
 * run.
 */
function endGuard({ dialGuard, clock, log }: BegunResetDeps): Promise<string> {
  return new Promise((resolve) => {
    const connection = dialGuard({
      opened: () =>
        void client
          .switchOffForGood(clock.nowMs() + EXECUTION_DEADLINE_MS)
          .then((stuck) => {
            // No other guard starts, so waiting would not help.
            if (stuck.length > 0) log.warn(`the board keeps output ${stuck.join(', ')} from going off`);
            resolve('it has switched everything off');
          })
          .catch((error: unknown) => resolve(problemOf(error)))
          // The guard ends with this connection.
          .finally(() => connection.close()),
      line: (text) => {
        if (!client.takeLine(text)) connection.close();
      },
      closed(problem) {
        client.end('the guard has gone');
        resolve(problem?.message ?? 'it hung up');
      },
    });
    const client = new GuardClient(connection, clock, () => {});
  });
}
