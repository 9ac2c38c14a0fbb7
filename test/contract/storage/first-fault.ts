import type { ArchiveStore } from '@relaygate/server/audit/archive-store';
import type { AuditStore } from '@relaygate/server/audit/audit-store';
import { verifyAudit } from '@relaygate/server/audit/verify-audit';

/** Of all chains; undefined if they are sound. */
export async function firstFault(
  store: Pick<
    AuditStore & ArchiveStore,
    'readAudit' | 'auditHeads' | 'auditArchives' | 'auditFacts' | 'auditProducts' | 'auditNames' | 'auditStoreFaults'
  >,
): Promise<string | undefined> {
  return (await verifyAudit(store)).findings[0]?.text;
}
