import { BACKOFF_BASE_MS, BACKOFF_CAP_MS, REPLACED_WAIT_CAP_MS, REPLACED_WAIT_MS } from '@relaygate/shared';

/**
 * Equal jitter, in ms: between half of `most` and `most`, which is base * 2^attempt and at most the cap. The first wait begins
 * at 0. `attempt` from 0, `chance` in [0, 1).
 */
export function backoffMs(attempt: number, chance: number): number {
  const mostMs = Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** attempt);
  const leastMs = attempt === 0 ? 0 : mostMs / 2;
  return leastMs + chance * (mostMs - leastMs);
}

/** After a refusal somebody has to act: the wait is around the cap, and never short. */
export function refusedWaitMs(chance: number): number {
  return (BACKOFF_CAP_MS * (1 + chance)) / 2;
}

/** After the n-th takeover by another link with this key (from 1): doubling, so that two copies do not keep at it. */
export function replacedWaitMs(times: number): number {
  return Math.min(REPLACED_WAIT_CAP_MS, REPLACED_WAIT_MS * 2 ** (times - 1));
}
