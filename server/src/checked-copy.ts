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

/** The database of a data folder, copied into PostgreSQL. */
export interface MigratedDatabase {
  /** For people; without secrets. */
  database: string;
  /** How many were copied, by table. */
  rows: Record<string, number>;
  /** Of the data folder, and of the copy before it went on. */
  audit: AuditReport;
}

/** Called while a database is migrated to PostgreSQL. */
export interface MigrationProgress {
  /** `rows` of `total` rows of the table. */
  copied(table: string, rows: number, total: number): void;
  readBack(table: string, rows: number, total: number): void;
  /** How many audit records are verified so far, first in the data folder, then in the copy. */
  verified(records: number): void;
  /** A sentence without its end, on a step that may take long. */
  said(text: string): void;
}
