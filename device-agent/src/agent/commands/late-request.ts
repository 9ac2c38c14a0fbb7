import type { RelaygateError } from '@relaygate/shared';
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
