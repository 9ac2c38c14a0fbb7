import { REFRESH_GRACE_MS, REFRESH_IDLE_MS } from '@relaygate/shared';
import type { RefreshFamily } from './family-store';

export type RefreshDecision =
  /** The live token: the family moves on by one. */
  | { kind: 'rotate' }
  /** Its direct parent, soon after and while the successor is unused: the answer got lost, so it is given again. */
  | { kind: 'replay' }
  /** Any other token that once was live: somebody has a copy. */
  | { kind: 'revoke' }
  | { kind: 'reject' };

/**
 * What a genuine token of `generation` gets at wall time `nowMs`. The successor counts as used once the family has
 * moved on again, which makes its parent a grandparent here. A wall clock that jumped widens nothing: the grace is
 * counted in both directions.
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
