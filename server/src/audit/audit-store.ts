import type { CommandOutcome } from '@relaygate/shared';
import type { AuditEntry, AuditKind, AuditRecord, WriterHead } from './audit-record';

/** Reads the audit. Each record is written in the transaction of the change that it describes. */
export interface AuditStore {
  /** A writer's records in the order of their seq, after `afterSeq`, at most `limit` (1..1000). */
  readAudit(writer: string, afterSeq: number, limit: number): Promise<StoredAuditRecord[]>;
  auditWriters(): Promise<string[]>;
  /** The stored head of each chain; undefined for a database from before heads were stored. */
  auditHeads(): Promise<WriterHead[] | undefined>;
  /** Records of all writers that pass the filter, in the order of their commits, at most `limit` (1..1000). */
  listAudit(filter: AuditFilter, position: AuditPosition, limit: number): Promise<AuditRow[]>;
  auditTotals(): Promise<AuditTotals>;
  /** Faults of the store's own protection against changed or removed records, one sentence each. */
  auditStoreFaults(): Promise<string[]>;
}

/** A record with the columns by which the store finds it. */
export interface StoredAuditRecord extends AuditRecord {
  /** Goes up in the order of commits, over all writers. */
  id: number;
  kind: string;
  commandId: string | null;
}

/** Null: any. Times are wall time. */
export interface AuditFilter {
  productLogin: string | null;
  /** An outcome belongs to the client that gave the command. */
  clientId: string | null;
  /** Inclusive. */
  sinceMs: number | null;
  /** Exclusive. */
  untilMs: number | null;
  /** Of a command's record, or of its later outcomes. */
  outcome: CommandOutcome | null;
  kind: AuditKind | null;
}

/** Where a page begins: after this record, in the direction of reading; null: at the first one. */
export interface AuditPosition {
  afterId: number | null;
  newestFirst: boolean;
}

export interface AuditRow extends AuditEntry {
  id: number;
  writer: string;
  seq: number;
  hash: string;
}

/** Numbers that must agree with each other, all read in one moment. */
export interface AuditTotals {
  records: number;
  /** Clients and products are never removed, and each has a record of its creation. */
  clients: number;
  clientsCreated: number;
  products: number;
  productsCreated: number;
  /** Commands without a known outcome and without a record. */
  openCommandsWithoutRecord: number;
}
