import { REFRESH_GRACE_MS, REFRESH_IDLE_MS } from '@relaygate/shared';
import type { RefreshFamily } from './family-store';

export type RefreshDecision =
  /** The live token: the family moves to the next generation. */
  | { kind: 'rotate' }
  /** The direct parent, soon after the rotation and while its successor is unused: the answer was lost and is repeated. */
  | { kind: 'replay' }
  /** Any other token that was once live: somebody has a copy. */
  | { kind: 'revoke' }
  | { kind: 'reject' };

/**
 * Decides about a genuine token of `generation` at wall time `nowMs`. The successor counts as used after the next rotation,
 * which makes its parent a grandparent. The grace counts in both directions, so that a wall clock that was set back does
 * not extend it.
 */
export function decideRefresh(family: RefreshFamily, generation: number, nowMs: number): RefreshDecision {
  const sinceRotationMs = Math.abs(nowMs - family.rotatedAtMs);
  if (family.revoked || generation > family.generation) return { kind: 'reject' };
  if (generation === family.generation) {
    return nowMs - family.rotatedAtMs > REFRESH_IDLE_MS ? { kind: 'reject' } : { kind: 'rotate' };
  }
  const isParent = generation === family.generation - 1;
  return isParent && sinceRotationMs <= REFRESH_GRACE_MS ? { kind: 'replay' } : { kind: 'revoke' };
}
