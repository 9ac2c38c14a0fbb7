import type { AuditStore } from '@relaygate/server/audit/audit-store';
import { verifyAudit } from '@relaygate/server/audit/verify-audit';

/** Of all chains; undefined if they are sound. */
export async function firstFault(
  store: Pick<AuditStore, 'readAudit' | 'auditHeads' | 'auditFacts' | 'auditStoreFaults'>,
): Promise<string | undefined> {
  return (await verifyAudit(store)).findings[0]?.text;
}
