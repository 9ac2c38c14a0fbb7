import type { ArchiveStore } from '../../audit/archive-store';
import type { AuditStore, StoredAuditRecord } from '../../audit/audit-store';
import { storedAuditReads } from '../handlers/stored-audit';
import type { ReadHandlers, Sql } from '../sql';
import { AUDIT_READS } from '../storage';
import { AUDIT_TRIGGERS, sourceOf } from './audit-schema';

/** The check of the triggers that keep the records, and all other reads of the audit. */
export const ALL_AUDIT_READS = {
  ...AUDIT_READS,
  ...storedAuditReads,

  async readAudit(sql, afterId, limit) {
    const rows = await sql.all<StoredAuditRecord>(BOTH_FORMATS, afterId, limit);
    return rows.map((row) => (row.format === 2 ? { ...row, writer: Number(row.writer) } : row));
  },

  async auditStoreFaults(sql) {
    const triggers = await sql.all<TriggerRow>(TRIGGERS);
    const faults: string[] = [];
    const isThere = AUDIT_TRIGGERS.every(({ name, table, on, body }) =>
      triggers.some(
        (row) =>
          row.name === name &&
          row.onTable === table &&
          row.kind === KINDS[on] &&
          row.isEnabled === 'O' &&
          row.conditions === 0 &&
          row.source === sourceOf({ body }),
      ),
    );
    if (!isThere) faults.push('the triggers that keep records from being changed and removed are gone or changed');
    const known = new Set(AUDIT_TRIGGERS.map(({ name, table }) => `${table}.${name}`));
    const foreign =
      triggers.filter(({ name, onTable }) => !known.has(`${onTable}.${name}`)).length + (await rules(sql));
    if (foreign > 0) {
      faults.push(`triggers that this program did not make: ${foreign}; they may change or drop what is written`);
    }
    return faults;
  },
} satisfies ReadHandlers<AuditStore & ArchiveStore>;

interface TriggerRow {
  name: string;
  onTable: string;
  /** Bits: 1 for each row, 2 before, then 4, 8, 16, 32 for the statement. */
  kind: number;
  isEnabled: string;
  conditions: number;
  source: string;
}

const KINDS = { INSERT: 7, DELETE: 11, UPDATE: 19, TRUNCATE: 34 };

/** They rewrite statements. */
async function rules(sql: Sql): Promise<number> {
  return (await sql.get<{ rules: number }>(RULES))?.rules ?? 0;
}

/**
 * The writer is a name in the first format and a number in the second. Each half has the limit: PostgreSQL would else sort all that
 * is behind the first id, for each page.
 */
const BOTH_FORMATS = `(
    SELECT 1 AS format, id, writer, seq, kind, command_id, body, previous_hash, hash, 0::bigint AS at_ms
    FROM audit_records WHERE id > $1::bigint ORDER BY id LIMIT $2
  ) UNION ALL (
    SELECT 2, id, writer::text, seq, kind, NULL, body, NULL, hash, at_ms
    FROM audit_log WHERE id > $1::bigint ORDER BY id LIMIT $2
  ) ORDER BY id LIMIT $2`;

const TRIGGERS = `SELECT tgname::text AS name, relname::text AS on_table, tgtype AS kind, tgenabled::text AS is_enabled,
    CASE WHEN tgqual IS NULL AND tgattr = '' THEN 0 ELSE 1 END AS conditions, prosrc AS source
  FROM pg_trigger
    JOIN pg_class ON pg_class.oid = tgrelid
    JOIN pg_proc ON pg_proc.oid = tgfoid
  WHERE NOT tgisinternal AND relnamespace = current_schema()::regnamespace`;
const RULES = 'SELECT COUNT(*) AS rules FROM pg_rules WHERE schemaname = current_schema()';
