import { REFRESH_IDLE_MS } from '@relaygate/shared';
import type { AuditEntry } from '../audit/audit-record';
import type { RefreshFamily } from './family-store';

/** What the audit says of logins. */

export function familyRevoked(familyId: string, clientId: string, atMs: number): AuditEntry {
  return { kind: 'refresh-family-revoked', atMs, clientId, details: { familyId } };
}

/** Of a family that gave way to a newer one. Undefined if nobody could use it any more: then nobody has to log in anew. */
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
