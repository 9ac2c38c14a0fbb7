import type { AuditFilter, AuditRow, StoredAuditRecord } from './audit-store';

/** A record. `commandBody` of an outcome is the body of the command's record, which names the client. */
export type ListedRecord = Pick<StoredAuditRecord, 'id' | 'hash' | 'body'> & { commandBody: string | null };

export function auditRow({ id, hash, body, commandBody }: ListedRecord): AuditRow {
  const row: AuditRow = { ...JSON.parse(body), id, hash };
  if (row.clientId !== undefined || commandBody === null) return row;
  const { clientId }: Pick<AuditRow, 'clientId'> = JSON.parse(commandBody);
  return clientId === undefined ? row : { ...row, clientId };
}

export function passes(row: AuditRow, filter: AuditFilter): boolean {
  const { productLogin, clientId, sinceMs, untilMs, outcome, kind } = filter;
  return (
    (kind === null || row.kind === kind) &&
    (productLogin === null || row.productLogin === productLogin) &&
    (clientId === null || row.clientId === clientId) &&
    (outcome === null || row.details?.outcome === outcome) &&
    (sinceMs === null || row.atMs >= sinceMs) &&
    (untilMs === null || row.atMs < untilMs)
  );
}
