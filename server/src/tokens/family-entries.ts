import { REFRESH_IDLE_MS } from '@relaygate/shared';
import type { AuditEntry } from '../audit/audit-record';
import type { RefreshFamily } from './family-store';

/** Audit entries of refresh families. */

export function familyRevoked(familyId: string, clientId: string, atMs: number): AuditEntry {
  return { kind: 'refresh-family-revoked', atMs, clientId, details: { familyId } };
}

/** For a family that a newer one displaced. Undefined if it was already dead, because then nobody loses a session. */
export function familyEnded(
  {
    familyId,
    clientId,
    revoked,
    rotatedAtMs,
  }: Pick<RefreshFamily, 'familyId' | 'clientId' | 'revoked' | 'rotatedAtMs'>,
  atMs: number,
): AuditEntry | undefined {
  if (revoked || atMs - rotatedAtMs > REFRESH_IDLE_MS) return undefined;
  return { kind: 'refresh-family-ended', atMs, clientId, details: { familyId, unusedSinceMs: rotatedAtMs } };
}
