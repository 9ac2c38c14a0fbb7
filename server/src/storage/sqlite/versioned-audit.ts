import type { ArchiveStore } from '../../audit/archive-store';
import type { WriterHead } from '../../audit/audit-record';
import type { AuditFacts, AuditStore, StoredAuditRecord } from '../../audit/audit-store';
import {
  type ArchiveRow,
  archiveOf,
  COUNTS,
  MAX_OPEN_COMMANDS,
  OPEN_COMMANDS,
  storedAuditReads,
} from '../handlers/stored-audit';
import type { ReadHandlers, Sql } from '../sql';
import { AUDIT_READS } from '../storage';
import { AUDIT_ARCHIVES, AUDIT_HEADS, AUDIT_LOG, AUDIT_TRIGGERS, LOST_RECORDS, NAME_COMMITMENTS } from './audit-schema';
import { hasStep } from './migrations';

/** Reads of the audit that work on a database of any version, because backups may be old; and the check of its triggers. */
const versionedReads = {
  async readAudit(sql, afterId, limit) {
    const { hasSecondFormat } = await kindOf(sql);
    return sql.all<StoredAuditRecord>(hasSecondFormat ? BOTH_FORMATS : FIRST_FORMAT, afterId, limit);
  },

  /** Undefined in a database from before heads were stored. If somebody has dropped the table, there are no heads. */
  async auditHeads(sql) {
    const { version, tables, hasSecondFormat } = await kindOf(sql);
    if (!hasStep(version, AUDIT_HEADS)) return undefined;
    const old = tables.has('audit_heads') ? await sql.all<WriterHead>('SELECT writer, seq, hash FROM audit_heads') : [];
    if (!hasSecondFormat || !tables.has('audit_writers')) return old;
    const heads = await sql.all<WriterHead>('SELECT name AS writer, seq, hash FROM audit_writers');
    const names = new Set(heads.map(({ writer }) => writer));
    return [...heads, ...old.filter(({ writer }) => !names.has(writer))];
  },

  async auditFacts(sql) {
    const { tables } = await kindOf(sql);
    const counts = await sql.get<Omit<AuditFacts, 'openCommands'>>(COUNTS);
    const open = tables.has('commands') ? OPEN_COMMANDS : tables.has('open_commands') ? OLD_OPEN_COMMANDS : undefined;
    const rows = open === undefined ? [] : await sql.all<{ commandId: string }>(open, MAX_OPEN_COMMANDS);
    return { clients: 0, products: 0, ...counts, openCommands: rows.map(({ commandId }) => commandId) };
  },

  async auditProducts(sql) {
    const { hasSecondFormat } = await kindOf(sql);
    return hasSecondFormat ? storedAuditReads.auditProducts(sql) : [];
  },

  async auditNames(sql) {
    const { version } = await kindOf(sql);
    if (!hasStep(version, NAME_COMMITMENTS)) return { people: [], clients: [] };
    return storedAuditReads.auditNames(sql);
  },

  async auditArchives(sql) {
    const { version } = await kindOf(sql);
    if (!hasStep(version, AUDIT_ARCHIVES)) return [];
    if (hasStep(version, LOST_RECORDS)) return storedAuditReads.auditArchives(sql);
    return (await sql.all<ArchiveRow>(ARCHIVES)).map(archiveOf);
  },

  async removedState(sql) {
    const { version } = await kindOf(sql);
    return hasStep(version, LOST_RECORDS) ? storedAuditReads.removedState(sql) : null;
  },

  async auditStoreFaults(sql) {
    const { version } = await kindOf(sql);
    const expected = AUDIT_TRIGGERS.find(({ since }) => since === undefined || hasStep(version, since))?.triggers ?? [];
    const names = expected.map((trigger) => TRIGGER_NAME.exec(trigger)?.[1]);
    const triggers = await sql.all<{ name: string; sql: string }>(TRIGGERS);
    const foreign = triggers.filter(({ name }) => !names.includes(name));
    const faults: string[] = [];
    if (!expected.every((one) => triggers.some((trigger) => trigger.sql === one))) {
      faults.push('the triggers that keep records from being changed and removed are gone or changed');
    }
    if (foreign.length > 0) {
      const what = `triggers that this program did not make: ${foreign.length}`;
      faults.push(`${what}; they may change or drop what is written`);
    }
    return faults;
  },
} satisfies ReadHandlers<AuditStore & ArchiveStore>;

export const ALL_AUDIT_READS = { ...AUDIT_READS, ...versionedReads };

interface DatabaseKind {
  version: number;
  tables: ReadonlySet<string>;
  /** Its records of today go to `audit_log`. */
  hasSecondFormat: boolean;
}

async function kindOf(sql: Sql): Promise<DatabaseKind> {
  const found = await sql.get<{ userVersion: number }>('SELECT user_version FROM pragma_user_version');
  const version = found?.userVersion ?? 0;
  const rows = await sql.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'");
  const tables = new Set(rows.map(({ name }) => name));
  return { version, tables, hasSecondFormat: hasStep(version, AUDIT_LOG) };
}

const OLD_RECORDS = `SELECT 1 AS format, id, writer, seq, kind, command_id, body, previous_hash, hash, 0 AS at_ms
  FROM audit_records WHERE id > $1`;
const FIRST_FORMAT = `${OLD_RECORDS} ORDER BY id LIMIT $2`;
const BOTH_FORMATS = `${OLD_RECORDS}
  UNION ALL SELECT 2, id, writer, seq, kind, NULL, body, NULL, hash, at_ms FROM audit_log WHERE id > $1
  ORDER BY id LIMIT $2`;

const ARCHIVES = 'SELECT file, from_id, to_id, sha256, state, NULL AS lost_state FROM audit_archives ORDER BY to_id';
const OLD_OPEN_COMMANDS = 'SELECT command_id FROM open_commands ORDER BY accepted_at_ms DESC LIMIT $1';

const TRIGGERS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'";
const TRIGGER_NAME = /^CREATE TRIGGER (\w+) /;
