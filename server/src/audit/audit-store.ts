import type { CommandOutcome } from '@relaygate/shared';
import type { AuditEntry, AuditKind, AuditRecord, WriterHead } from './audit-record';

/** The audit as it is read; it is written by the transactions that it is about, so neither can be without the other. */
export interface AuditStore {
  /** A writer's records in the order of their seq, after `afterSeq`, at most `limit` (1..1000). */
  readAudit(writer: string, afterSeq: number, limit: number): Promise<StoredAuditRecord[]>;
  auditWriters(): Promise<string[]>;
  /** Where each chain was when it was last appended to; undefined for a database from before that was kept. */
  auditHeads(): Promise<WriterHead[] | undefined>;
  /** Records of all writers that pass the filter, in the order in which they were committed, at most `limit` (1..1000). */
  listAudit(filter: AuditFilter, position: AuditPosition, limit: number): Promise<AuditRow[]>;
  auditTotals(): Promise<AuditTotals>;
  /** What is wrong with how the store itself keeps records from being removed or changed: a sentence each. */
  auditStoreFaults(): Promise<string[]>;
}

/** A record with what the store keeps beside its body to find it by. */
export interface StoredAuditRecord extends AuditRecord {
  /** Over all writers: goes up in the order of their commits. */
  id: number;
  kind: string;
  commandId: string | null;
}

/** Each member narrows; null lets everything pass. Times are wall time. */
export interface AuditFilter {
  productLogin: string | null;
  /** Outcomes are those of the client that gave the command. */
  clientId: string | null;
  /** Inclusive. */
  sinceMs: number | null;
  /** Exclusive. */
  untilMs: number | null;
  /** Records that say this outcome. */
  outcome: CommandOutcome | null;
  kind: AuditKind | null;
}

/** Where a page begins: after the record of this id, in the direction of reading; null = at the first. */
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

/** What the records must agree with, all seen in one moment. */
export interface AuditTotals {
  records: number;
  /** Clients and products are never removed, and the creation of each is on record. */
  clients: number;
  clientsCreated: number;
  products: number;
  productsCreated: number;
  /** Commands without a known outcome whose record is gone. */
  openCommandsWithoutRecord: number;
}
