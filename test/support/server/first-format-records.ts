import { createHash } from 'node:crypto';
import type { openSqlite } from '@relaygate/server/storage/sqlite/sqlite';

/** Records of the audit's first format, as programs before the second one wrote them. */
export interface OldRecord {
  writer: string;
  seq: number;
  body: string;
  previousHash: string;
  hash: string;
}

export function oldRecord(writer: string, last: OldRecord | undefined, entry: object): OldRecord {
  const seq = (last?.seq ?? 0) + 1;
  const previousHash = last?.hash ?? '0'.repeat(64);
  const body = JSON.stringify({ writer, seq, ...entry });
  const hash = createHash('sha256').update(`${previousHash}\n${body}`).digest('hex');
  return { writer, seq, body, previousHash, hash };
}

interface OldEntry {
  kind: string;
  commandId?: string;
}

/** Appends to the chain of one writer, in a database of before. */
export function writeOldRecords(
  db: ReturnType<typeof openSqlite>,
  writer: string,
  entries: readonly OldEntry[],
): OldRecord[] {
  const append = db.prepare(`INSERT INTO audit_records (writer, seq, kind, command_id, body, previous_hash, hash)
    VALUES (?, ?, ?, ?, ?, ?, ?)`);
  const records: OldRecord[] = [];
  for (const entry of entries) {
    const record = oldRecord(writer, records.at(-1), entry);
    append.run(writer, record.seq, entry.kind, entry.commandId ?? null, record.body, record.previousHash, record.hash);
    records.push(record);
  }
  const last = records.at(-1);
  if (last) db.prepare('INSERT INTO audit_heads VALUES (?, ?, ?)').run(writer, last.seq, last.hash);
  return records;
}
