import type { WriterHead } from '../../audit/audit-record';
import type { AuditStore } from '../../audit/audit-store';
import { totalsIn } from '../audit-handlers';
import type { ReadHandlers } from '../handler';
import { AUDIT_READS } from '../storage';
import { AUDIT_TRIGGERS, HEADS_SINCE_VERSION } from './migrations';

/** What SQLite does for the audit: ids without gaps, and triggers that keep records as they are. */
const auditGuardReads = {
  /** Of a backup of before, undefined; a table that somebody dropped keeps no head. */
  async auditHeads(sql) {
    const version = await sql.get<{ userVersion: number }>('SELECT user_version FROM pragma_user_version');
    if ((version?.userVersion ?? 0) < HEADS_SINCE_VERSION) return undefined;
    return (await sql.get(HEADS_TABLE)) ? sql.all<WriterHead>('SELECT writer, seq, hash FROM audit_heads') : [];
  },

  async auditTotals(sql) {
    const isOfBefore = (await sql.get(OPEN_COMMANDS_TABLE)) !== undefined;
    return totalsIn(sql, isOfBefore ? 'open_commands' : '(SELECT command_id FROM commands WHERE open = 1)');
  },

  async auditStoreFaults(sql) {
    const [stay, keep] = AUDIT_TRIGGERS;
    const { records, lastId, triggers, foreignTriggers } = (await sql.get<Guards>(GUARDS, stay, keep)) ?? NOTHING;
    const faults: string[] = [];
    if (records !== lastId) {
      faults.push(`the ids over all writers run to ${lastId}, but there are ${records} records: some are missing`);
    }
    if (triggers !== AUDIT_TRIGGERS.length) {
      faults.push('the triggers that keep records from being changed and removed are gone or changed');
    }
    if (foreignTriggers > 0) {
      const what = `triggers that this program did not make: ${foreignTriggers}`;
      faults.push(`${what}; they may change or drop what is written`);
    }
    return faults;
  },
} satisfies ReadHandlers<AuditStore>;

export const ALL_AUDIT_READS = { ...AUDIT_READS, ...auditGuardReads };

/** Has a row if this is a database from before commands had a table. */
const OPEN_COMMANDS_TABLE = "SELECT 1 AS one FROM sqlite_master WHERE type = 'table' AND name = 'open_commands'";

/** Has a row unless this is a database of an older version, which is being restored. */
export const HEADS_TABLE = "SELECT 1 AS one FROM sqlite_master WHERE type = 'table' AND name = 'audit_heads'";

interface Guards {
  records: number;
  /** The highest id; 0 without records. */
  lastId: number;
  /** Of the two that keep records from being changed and removed, those that say what ours say. */
  triggers: number;
  /** All others; this program makes none. */
  foreignTriggers: number;
}

const GUARDS = `SELECT (SELECT COUNT(*) FROM audit_records) AS records,
    (SELECT COALESCE(MAX(id), 0) FROM audit_records) AS last_id,
    (SELECT COUNT(*) FROM sqlite_master WHERE type = 'trigger' AND sql IN ($1, $2)) AS triggers,
    (SELECT COUNT(*) FROM sqlite_master
      WHERE type = 'trigger' AND name NOT IN ('audit_records_stay', 'audit_records_keep')) AS foreign_triggers`;

/** A SELECT without FROM always has one row; the types do not know. */
const NOTHING: Guards = { records: 0, lastId: 0, triggers: 0, foreignTriggers: 0 };
