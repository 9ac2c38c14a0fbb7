import { type ErrorCode, FAILED_ATTEMPTS_PER_MINUTE, RelaygateError } from '@relaygate/shared';
import { ExceededLimit, type Limit } from './exceeded-limit';

/**
 * Counts failures per key (an address, a key id, a product, a refresh family) over a minute. Successes do not count, and the
 * limiter is not asked before an attempt, so a right secret is always served. The number of keys is bounded (I15).
 */
export interface AttemptLimiter {
  /** Counts one failure on each key. Returns seconds to wait if one of them has more than FAILED_ATTEMPTS_PER_MINUTE. */
  fail(keys: readonly string[]): number | undefined;
}

const LIMIT: Limit = { name: 'failed-attempts', quota: FAILED_ATTEMPTS_PER_MINUTE, windowSeconds: 60 };

/** Runs an attempt and counts its failure if the code is `failure`. Beyond the limit fails with `too-many-requests` instead. */
export async function limited<T>(
  limiter: AttemptLimiter,
  keys: readonly string[],
  failure: ErrorCode,
  attempt: () => Promise<T>,
): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof RelaygateError) || error.code !== failure) throw error;
    const retryAfterSeconds = limiter.fail(keys);
    if (retryAfterSeconds === undefined) throw error;
    throw new ExceededLimit(LIMIT, retryAfterSeconds, { cause: error });
  }
}
