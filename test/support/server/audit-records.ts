import type { AuditKind } from '@relaygate/server/audit/audit-record';
import type { AuditFilter, AuditRow, AuditStore, StoredAuditRecord } from '@relaygate/server/audit/audit-store';

const PAGE = 1_000;

/** All records, the audit's own bookkeeping included. */
export async function recordsIn(store: Pick<AuditStore, 'readAudit'>): Promise<StoredAuditRecord[]> {
  const records: StoredAuditRecord[] = [];
  for (let page = await store.readAudit(0, PAGE); page.length > 0; ) {
    records.push(...page);
    page = await store.readAudit(page.at(-1)?.id ?? 0, PAGE);
  }
  return records;
}

export const ANY: AuditFilter = {
  productLogin: null,
  clientId: null,
  sinceMs: null,
  untilMs: null,
  outcome: null,
  kind: null,
};

/** What happened, oldest first: at most 1,000, of one kind if it is given. */
export function eventsIn(store: Pick<AuditStore, 'listAudit'>, kind: AuditKind | null = null): Promise<AuditRow[]> {
  return store.listAudit({ ...ANY, kind }, { afterId: null, newestFirst: false }, PAGE);
}
