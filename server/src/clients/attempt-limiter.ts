import { RelaygateError } from '@relaygate/shared';

/**
 * Counts failures per key (an address, a key id, a product) over a minute; FAILED_ATTEMPTS_PER_MINUTE are let through.
 * Successes never count. Keys are bounded in number (I15).
 */
export interface AttemptLimiter {
  /** Seconds until the most exhausted of these keys may try again; undefined when all may. */
  secondsBlocked(keys: readonly string[]): number | undefined;
  /** Counts one failure on each; seconds to wait when one of them is exhausted by more than this failure. */
  fail(keys: readonly string[]): number | undefined;
}

/** Runs an attempt: 429 before it when a key is exhausted, and its failure counts. `attempt` resolves undefined on failure. */
export async function limited<T>(
  limiter: AttemptLimiter,
  keys: readonly string[],
  failure: 'client-key-not-found' | 'product-not-found',
  attempt: () => Promise<T | undefined>,
): Promise<T> {
  refuseFor(limiter.secondsBlocked(keys));
  const result = await attempt();
  if (result !== undefined) return result;
  refuseFor(limiter.fail(keys));
  throw new RelaygateError(failure);
}

function refuseFor(retryAfterSeconds: number | undefined): void {
  if (retryAfterSeconds !== undefined) throw new RelaygateError('too-many-requests', undefined, { retryAfterSeconds });
}
