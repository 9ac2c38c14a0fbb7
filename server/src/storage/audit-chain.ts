import type { Database } from 'better-sqlite3';
import { type AuditEntry, type ChainHead, nextRecord } from '../audit/audit-record';

/** Appends to the chain of one writer; for use inside the transaction of the write that the entry is about. */
export type AppendAudit = (entry: AuditEntry) => void;

export interface AuditChain {
  append: AppendAudit;
  /**
   * For the start of each transaction, and when a part of one was undone: another process may have appended to the
   * same chain since, so the head is read again, under the write lock.
   */
  forgetHead(): void;
}

/** False for a database of an older version that is being restored. */
export function keepsHeads(db: Database): boolean {
  return db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'audit_heads'").get() !== undefined;
}

/** `actor`: whom its entries name, where a person's command makes them. */
export function auditChain(db: Database, writer: string, actor?: string): AuditChain {
  const readHead = db.prepare<[string], ChainHead>(
    'SELECT seq, hash FROM audit_records WHERE writer = ? ORDER BY seq DESC LIMIT 1',
  );
  const insert = db.prepare(
    `INSERT INTO audit_records (writer, seq, kind, command_id, body, previous_hash, hash)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const keepHead = keepsHeads(db)
    ? db.prepare(`INSERT INTO audit_heads (writer, seq, hash) VALUES (?, ?, ?)
     ON CONFLICT (writer) DO UPDATE SET seq = excluded.seq, hash = excluded.hash`)
    : undefined;
  let head: ChainHead | undefined;
  return {
    append(entry) {
      const named = actor === undefined ? entry : { ...entry, actor };
      const record = nextRecord(writer, head ?? readHead.get(writer), named);
      insert.run(
        writer,
        record.seq,
        entry.kind,
        entry.commandId ?? null,
        record.body,
        record.previousHash,
        record.hash,
      );
      keepHead?.run(writer, record.seq, record.hash);
      head = record;
    },
    forgetHead() {
      head = undefined;
    },
  };
}
