import type { KeyObject } from 'node:crypto';
import type { CommandOutcome } from '@relaygate/shared';
import type { AuditEntry, AuditKind, AuditRecord, WriterHead } from './audit-record';
import type { Checkpoint } from './checkpoint';
import type { FirstFormatRecord } from './first-format';

/** Reads the audit. Each record is written in the transaction of the change that it describes. */
export interface AuditStore {
  /** Records of all writers and both formats in the order of their ids, after `afterId`, at most `limit` (1..1000). */
  readAudit(afterId: number, limit: number): Promise<StoredAuditRecord[]>;
  /** The stored head of each chain, with that of the registry; undefined for a database from before heads were stored. */
  auditHeads(): Promise<WriterHead[] | undefined>;
  /** The last record of all; undefined if there is none, or none of the second format. */
  newestRecord(): Promise<NewestRecord | undefined>;
  /**
   * Records of all writers that pass the filter, in the order of their commits, at most `limit` (1..1000), with the names that
   * their ids have now. Without a kind, none of the audit's bookkeeping.
   */
  listAudit(filter: AuditFilter, position: AuditPosition, limit: number): Promise<AuditRow[]>;
  auditFacts(): Promise<AuditFacts>;
  /** What the products' ids stand for; none in a database of the first format alone. */
  auditProducts(): Promise<ProductName[]>;
  /** The names that are stored beside the records; none in a database from before records had commitments to names. */
  auditNames(): Promise<KeptNames>;
  /** Faults of the store's own protection against changed or removed records, one sentence each. */
  auditStoreFaults(): Promise<string[]>;
}

/** Checkpoints of the audit. */
export interface CheckpointStore extends Pick<AuditStore, 'auditHeads' | 'newestRecord'> {
  /** Appends a checkpoint that this key signs. Resolves with one of the heads behind it. */
  appendCheckpoint(key: KeyObject, atMs: number): Promise<Checkpoint>;
}

export interface AuditKeyStore {
  /**
   * Records that `key` follows another key, with a checkpoint that it signs. False, and nothing is recorded, if the audit has no
   * checkpoint so far.
   */
  recordNewAuditKey(key: KeyObject, atMs: number): Promise<boolean>;
}

/** Names of people are stored beside the audit; records have their ids. */
export interface NameStore {
  /**
   * Erases the name of an operator or a technician, with and without what it was used through (`cli as NAME`). Resolves with
   * the number of names that were erased. It is recorded without the name.
   */
  erasePerson(name: string, atMs: number): Promise<number>;
  /** Gives the client its id for a name. False if there is no such client. */
  eraseClientName(clientId: string, atMs: number): Promise<boolean>;
}

export type StoredAuditRecord = FirstFormatRecord | StoredRecord;

export interface StoredRecord extends AuditRecord {
  format: 2;
  /** Goes up in the order of commits, over all writers and both formats. */
  id: number;
}

export interface NewestRecord extends AuditRecord {
  /** Of its writer. */
  name: string;
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

export interface ProductName {
  productId: number;
  productLogin: string;
}

/** A salt is null if it was erased, or if the name is older than salts. */
export interface KeptNames {
  /** Operators and technicians; an erased name is null. */
  people: { id: string; name: string | null; salt: string | null }[];
  clients: { clientId: string; name: string; salt: string | null }[];
}

/** What the records must agree with, all read in one moment. */
export interface AuditFacts {
  /** Clients and products are never removed, and each has a record of its creation. */
  clients: number;
  products: number;
  /** Commands without a known outcome, each of which has a record: the newest of them. */
  openCommands: string[];
}
