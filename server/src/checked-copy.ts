import type { AuditReport } from './audit/audit-report';

/** A checked copy of the database: a backup, or what a restore puts in its place. */
export interface CheckedCopy {
  sizeBytes: number;
  databaseVersion: number;
  /** A broken audit is reported and not refused, because there may be no better copy. */
  audit: AuditReport;
}

/** Called while a copy is made and checked. */
export interface CopyProgress {
  /** 0 to 100. */
  copied(percent: number): void;
  /** How many audit records are verified so far. */
  verified(records: number): void;
  /** A sentence about the migration of a restored database, which may take minutes. */
  migrated(text: string): void;
}
