import type { AuditFilter, AuditRow } from './audit-store';
import { entryOf, type NamesOfIds } from './record-body';

/** A record as a list reads it. */
export interface ListedRecord {
  id: number;
  /** Of its writer. */
  name: string;
  seq: number;
  kind: string;
  /** 0 in the first format, whose body says it. */
  atMs: number;
  body: string;
  hash: string;
  format: 1 | 2;
}

export async function auditRow(record: ListedRecord, names: NamesOfIds): Promise<AuditRow> {
  const { id, hash, name, seq } = record;
  if (record.format === 2) return { ...(await entryOf(record, names)), id, writer: name, seq, hash };
  const row: AuditRow = { ...JSON.parse(record.body), id, hash };
  if (row.clientId !== undefined || row.commandId === undefined) return row;
  const clientId = (await names.command(row.commandId))?.clientId;
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
