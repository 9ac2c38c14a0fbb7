import { RelaygateError } from '@relaygate/shared';

/** How long somebody waits for what they have asked for. */
export interface RequestLife {
  /** On this machine's monotonic clock. */
  notAfterMs: number;
  /** Aborted once nobody waits any more: a closed connection, Ctrl-C. */
  givenUp: AbortSignal;
}

/** I2: what nobody waits for any more does not begin. null: it may. */
export function lateProblem({ notAfterMs, givenUp }: RequestLife, nowMs: number): RelaygateError | null {
  if (givenUp.aborted) return new RelaygateError('refused', 'Whoever asked for this has gone, so it was not begun.');
  if (nowMs < notAfterMs) return null;
  return new RelaygateError(
    'refused',
    'This came too late and was not begun: nothing was moved or changed. Try again.',
  );
}
