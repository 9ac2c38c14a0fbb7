import type { AuditState } from './archive-text';
import type { ListedRecord } from './audit-list';
import type { AuditRow, AuditStore } from './audit-store';

/** An archive of the audit, as the database remembers it. */
export interface AuditArchive {
  /** Its name when it was written, without its folder. */
  file: string;
  fromId: number;
  toId: number;
  /** Of the file, hex. */
  sha256: string;
  /** Behind its last record. */
  state: AuditState;
  /** Up to here its records are lost with an earlier file; its file begins behind them. */
  lost?: AuditState | undefined;
}

/** What was left of an archive when its file was lost. */
export interface KeptArchive extends AuditArchive {
  lost: AuditState;
}

export interface ArchiveStore extends Pick<AuditStore, 'readAudit'> {
  /** In the order of their records, none in a database from before archives. */
  auditArchives(): Promise<AuditArchive[]>;
  /** Records that are read elsewhere, with the names that their ids have now. */
  auditRows(records: readonly ListedRecord[]): Promise<AuditRow[]>;
  /**
   * Records the archive; from then on its records may be removed. It replaces the last archive if that has the same records, none
   * of which was removed. Fails with `already-exists` if the archive is not the next one.
   */
  recordArchive(archive: AuditArchive, atMs: number): Promise<void>;
  /**
   * Records that the file of the last archive, `given`, is lost, and with it those of its records that were removed. `kept` takes its
   * place. `before`: where the lost records begin. Fails with `already-exists` if more records were removed meanwhile.
   */
  recordLoss(kept: KeptArchive, given: AuditArchive, before: AuditState, atMs: number): Promise<void>;
  /**
   * Behind the last record that was removed; undefined if none was, or by a version that did not keep it. Null in a database of such a
   * version.
   */
  removedState(): Promise<AuditState | null | undefined>;
  /** Removes the records up to this one, as far as they are in archives. `state`: behind it. Resolves with how many. */
  removeArchived(toId: number, state: AuditState | undefined): Promise<number>;
}

/** Archives as files. What fails is a RelaygateError or a BrokenArchive. */
export interface ArchiveFiles {
  create(file: string): ArchiveSink;
  /** Not compressed, for other programs. */
  createPlain(file: string): ArchiveSink;
  /** Undefined if there is no such file. */
  open(file: string): ArchiveSource | undefined;
}

/** A file that has its name only when it is whole. */
export interface ArchiveSink {
  write(block: string): void;
  /** Durable under its name when it returns. Fails with `already-exists` if there is a file of this name. */
  finish(): void;
  /** Nothing is left of it. */
  discard(): void;
}

export interface ArchiveSource {
  file: string;
  sizeBytes: number;
  /** Hex. */
  sha256(): Promise<string>;
  lines(): AsyncIterable<string>;
  /** Durable under its name when it returns, whoever has made it. */
  sync(): void;
}
