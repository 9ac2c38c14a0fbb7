import { auditRow, type ListedRecord, passes } from '../audit/audit-list';
import type {
  AuditFilter,
  AuditPosition,
  AuditRow,
  AuditStore,
  AuditTotals,
  StoredAuditRecord,
} from '../audit/audit-store';
import type { ReadHandlers } from './handler';
import type { Sql, SqlValue } from './sql';

/** Records that are read at once while a list looks for those that pass. */
const PAGE = 1_000;

/** Their tables are those of the first release, so that backups of any version can be verified. */
export const auditReads = {
  readAudit: (sql, writer, afterSeq, limit) => sql.all<StoredAuditRecord>(CHAIN, writer, afterSeq, limit),

  /** From one to the next by their index: each may have millions of records. */
  async auditWriters(sql) {
    const writers: string[] = [];
    let next = await sql.get<NextWriter>(FIRST_WRITER);
    while (next && next.writer !== null) {
      writers.push(next.writer);
      next = await sql.get<NextWriter>(NEXT_WRITER, next.writer);
    }
    return writers;
  },

  async listAudit(sql, filter, position, limit) {
    const rows: AuditRow[] = [];
    for (let from = position; rows.length < limit; ) {
      const page = await scan(sql, filter.kind, from);
      rows.push(...page.map(auditRow).filter((row) => passes(row, filter)));
      const last = page.at(-1);
      if (!last || page.length < PAGE) break;
      from = { ...from, afterId: last.id };
    }
    return rows.slice(0, limit);
  },

  async auditTotals(sql) {
    return (await sql.get<AuditTotals>(TOTALS)) ?? NOTHING;
  },
} satisfies ReadHandlers<AuditStore>;

interface NextWriter {
  /** Null: there is none. */
  writer: string | null;
}

/** By what has an index only: one on what the bodies say would cost every command more than the audit's reader gains. */
function scan(sql: Sql, kind: AuditFilter['kind'], { afterId, newestFirst }: AuditPosition): Promise<ListedRecord[]> {
  const values: SqlValue[] = [PAGE];
  const after = afterId === null ? '' : `AND listed.id ${newestFirst ? '<' : '>'} $${values.push(afterId)}`;
  const ofKind = kind === null ? '' : `AND listed.kind = $${values.push(kind)}`;
  const statement = `SELECT id, hash, body, CASE WHEN kind = 'outcome' THEN (
      SELECT given.body FROM audit_records AS given
      WHERE given.command_id = listed.command_id AND given.kind = 'command' ORDER BY given.id LIMIT 1
    ) END AS command_body
    FROM audit_records AS listed WHERE 1 = 1 ${after} ${ofKind}
    ORDER BY id ${newestFirst ? 'DESC' : 'ASC'} LIMIT $1`;
  return sql.all<ListedRecord>(statement, ...values);
}

const CHAIN = `SELECT id, writer, seq, kind, command_id, body, previous_hash, hash
  FROM audit_records WHERE writer = $1 AND seq > $2 ORDER BY seq LIMIT $3`;
const FIRST_WRITER = 'SELECT MIN(writer) AS writer FROM audit_records';
const NEXT_WRITER = 'SELECT MIN(writer) AS writer FROM audit_records WHERE writer > $1';
const TOTALS = `SELECT (SELECT COUNT(*) FROM audit_records) AS records,
    (SELECT COUNT(*) FROM clients) AS clients,
    (SELECT COUNT(*) FROM audit_records WHERE kind = 'client-created') AS clients_created,
    (SELECT COUNT(*) FROM products) AS products,
    (SELECT COUNT(*) FROM audit_records WHERE kind = 'product-created') AS products_created,
    (SELECT COUNT(*) FROM open_commands WHERE NOT EXISTS (
      SELECT 1 FROM audit_records
      WHERE audit_records.command_id = open_commands.command_id AND kind = 'command'
    )) AS open_commands_without_record`;

/** A SELECT without FROM always has one row; the types do not know. */
const NOTHING: AuditTotals = {
  records: 0,
  clients: 0,
  clientsCreated: 0,
  products: 0,
  productsCreated: 0,
  openCommandsWithoutRecord: 0,
};
