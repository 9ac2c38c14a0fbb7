import { type ErrorCode, RelaygateError } from '@relaygate/shared';

/**
 * Counts failures per key (an address, a key id, a product, a refresh family) over a minute. Successes never count, and
 * nobody asks before an attempt: what is right is served however many wrong ones came. Keys are bounded in number (I15).
 */
export interface AttemptLimiter {
  /** Counts one failure on each; seconds to wait once one of them had more than FAILED_ATTEMPTS_PER_MINUTE. */
  fail(keys: readonly string[]): number | undefined;
}

/** Runs an attempt. If it fails with `failure`, that counts, and beyond the limit `too-many-requests` is said instead. */
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
    throw new RelaygateError('too-many-requests', undefined, { retryAfterSeconds, cause: error });
  }
}
