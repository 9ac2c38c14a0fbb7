import type { Clock, RelaygateError } from '@relaygate/shared';
import type { Mutex } from 'async-mutex';
import { refused } from '../../runtime/refused';

/** How long somebody waits for what they have asked for. */
export interface RequestLife {
  /** On this machine's monotonic clock. */
  notAfterMs: number;
  /** Aborted once nobody waits any more: a closed connection, Ctrl-C. */
  givenUp: AbortSignal;
}

/** I2: a request that nobody waits for does not begin. null: it may. */
export function lateProblem({ notAfterMs, givenUp }: RequestLife, nowMs: number): RelaygateError | null {
  if (givenUp.aborted) return refused('refused', 'asker-gone', {});
  if (nowMs < notAfterMs) return null;
  return refused('refused', 'too-late', {});
}

/** Does `work` in its turn. I2: rejects with `refused`, and does nothing, if that comes too late for whoever asked. */
export function inTurn<T>(
  mutex: Mutex,
  clock: Pick<Clock, 'nowMs'>,
  work: () => Promise<T>,
  life?: RequestLife,
): Promise<T> {
  return mutex.runExclusive(() => {
    // What was before it may have waited for a guard, a disk or a Wi-Fi that hangs.
    const late = life && lateProblem(life, clock.nowMs());
    if (late) throw late;
    return work();
  });
}
