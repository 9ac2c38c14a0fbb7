import type { Database } from 'better-sqlite3';
import type { WriterHead } from '../audit/audit-record';
import type { AuditFilter, AuditRow, AuditTotals, StoredAuditRecord } from '../audit/audit-store';
import { keepsHeads } from './audit-chain';
import { versionOf } from './sqlite/database-file';
import { AUDIT_TRIGGERS, HEADS_SINCE_VERSION } from './sqlite/migrations';
import type { ReadHandlers } from './storage-write';

type ListArgs = AuditFilter & { afterId: number | null; limit: number };

interface ListRow {
  id: number;
  hash: string;
  body: string;
  /** Of the client that gave the command, for records that name none. */
  clientId: string | null;
}

/** A scan over the bodies: an index on their members would cost every command more than the audit's reader gains. */
const LIST = `SELECT id, hash, body, COALESCE(json_extract(body, '$.clientId'), (
    SELECT json_extract(given.body, '$.clientId') FROM audit_records given
    WHERE given.command_id = audit_records.command_id AND given.kind = 'command'
  )) AS clientId
  FROM audit_records
  WHERE (@kind IS NULL OR kind = @kind)
    AND (@productLogin IS NULL OR json_extract(body, '$.productLogin') = @productLogin)
    AND (@outcome IS NULL OR json_extract(body, '$.details.outcome') = @outcome)
    AND (@sinceMs IS NULL OR json_extract(body, '$.atMs') >= @sinceMs)
    AND (@untilMs IS NULL OR json_extract(body, '$.atMs') < @untilMs)
    AND (@clientId IS NULL OR clientId = @clientId)`;

/** The tables that they read are those of the first release or looked for, so backups of any version can be verified. */
export function auditReads(
  db: Database,
): Pick<ReadHandlers, 'readAudit' | 'auditWriters' | 'auditHeads' | 'listAudit' | 'auditTotals'> {
  const chain = db.prepare<[string, number, number], StoredAuditRecord>(
    `SELECT id, writer, seq, kind, command_id AS commandId, body, previous_hash AS previousHash, hash
     FROM audit_records WHERE writer = ? AND seq > ? ORDER BY seq LIMIT ?`,
  );
  const writers = db.prepare<[], { writer: string }>('SELECT DISTINCT writer FROM audit_records ORDER BY writer');
  const oldestFirst = db.prepare<ListArgs, ListRow>(`${LIST} AND id > COALESCE(@afterId, 0) ORDER BY id LIMIT @limit`);
  const newestFirst = db.prepare<ListArgs, ListRow>(
    `${LIST} AND (@afterId IS NULL OR id < @afterId) ORDER BY id DESC LIMIT @limit`,
  );
  const totals = db.prepare<{ stay: string; keep: string }, AuditTotals>(
    `SELECT (SELECT COUNT(*) FROM audit_records) AS records,
       (SELECT COALESCE(MAX(id), 0) FROM audit_records) AS lastId,
       (SELECT COUNT(*) FROM clients) AS clients,
       (SELECT COUNT(*) FROM audit_records WHERE kind = 'client-created') AS clientsCreated,
       (SELECT COUNT(*) FROM products) AS products,
       (SELECT COUNT(*) FROM audit_records WHERE kind = 'product-created') AS productsCreated,
       (SELECT COUNT(*) FROM open_commands WHERE NOT EXISTS (
         SELECT 1 FROM audit_records
         WHERE audit_records.command_id = open_commands.command_id AND kind = 'command'
       )) AS openCommandsWithoutRecord,
       (SELECT COUNT(*) FROM sqlite_master
         WHERE type = 'trigger' AND sql IN (@stay, @keep)) AS triggers,
       (SELECT COUNT(*) FROM sqlite_master
         WHERE type = 'trigger' AND name NOT IN ('audit_records_stay', 'audit_records_keep')) AS foreignTriggers`,
  );

  const [stay, keep] = AUDIT_TRIGGERS;

  return {
    readAudit: (writer, afterSeq, limit) => chain.all(writer, afterSeq, limit),
    auditWriters: () => writers.all().map((row) => row.writer),
    auditHeads() {
      if (versionOf(db) < HEADS_SINCE_VERSION) return undefined;
      // A table that somebody dropped keeps no head.
      return keepsHeads(db) ? db.prepare<[], WriterHead>('SELECT writer, seq, hash FROM audit_heads').all() : [];
    },
    listAudit: (filter, place, limit) =>
      (place.newestFirst ? newestFirst : oldestFirst)
        .all({ ...filter, afterId: place.afterId, limit })
        .map(({ id, hash, body, clientId }) => withClient({ ...JSON.parse(body), id, hash }, clientId)),
    auditTotals: () => totals.get({ stay, keep }) ?? NOTHING,
  };
}

function withClient(row: AuditRow, clientId: string | null): AuditRow {
  return clientId === null ? row : { ...row, clientId };
}

/** A SELECT without FROM always has one row; the types do not know. */
const NOTHING: AuditTotals = {
  records: 0,
  lastId: 0,
  clients: 0,
  clientsCreated: 0,
  products: 0,
  productsCreated: 0,
  openCommandsWithoutRecord: 0,
  triggers: 0,
  foreignTriggers: 0,
};
