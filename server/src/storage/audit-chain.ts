import type { Database } from 'better-sqlite3';
import { type AuditEntry, type AuditRecord, nextRecord } from '../audit/audit-record';

/** Appends to the chain of one writer; for use inside the transaction of the write that the entry is about. */
export type AppendAudit = (entry: AuditEntry) => void;

export function auditChain(db: Database, writer: string): AppendAudit {
  // The head is read each time, under the write lock: another process may append to the same chain.
  const head = db.prepare<[string], Pick<AuditRecord, 'seq' | 'hash'>>(
    'SELECT seq, hash FROM audit_records WHERE writer = ? ORDER BY seq DESC LIMIT 1',
  );
  const insert = db.prepare(
    `INSERT INTO audit_records (writer, seq, kind, command_id, body, previous_hash, hash)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  return (entry) => {
    const { seq, body, previousHash, hash } = nextRecord(writer, head.get(writer), entry);
    insert.run(writer, seq, entry.kind, entry.commandId ?? null, body, previousHash, hash);
  };
}
