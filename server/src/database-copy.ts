import type { AuditReport } from './audit/verify-audit';

/** A checked copy of the database: a backup, or what a restore puts in its place. */
export interface CheckedCopy {
  sizeBytes: number;
  databaseVersion: number;
  /** A broken audit is reported and not refused: it may be all there is. */
  audit: AuditReport;
}

/** How far a copy has come. */
export interface CopyProgress {
  /** 0 to 100. */
  copied(percent: number): void;
  /** Records of its audit verified so far. */
  verified(records: number): void;
}
