import type { AuditArchive } from './archive-store';
import { headsOf } from './archive-text';
import { type AuditDetails, detailsOf } from './audit-record';
import type { StoredAuditRecord } from './audit-store';

/**
 * The record of each archive is behind its records: that of the newest one is in the database. An archive whose file was written
 * again has two, of which the later one counts.
 */
export class ArchiveRecords {
  readonly #archives: readonly AuditArchive[];
  readonly #recorded = new Set<AuditArchive>();
  /** By the last record of the archive. */
  readonly #faults = new Map<unknown, string>();

  constructor(archives: readonly AuditArchive[]) {
    this.#archives = archives;
  }

  take(record: StoredAuditRecord): void {
    if (record.kind !== 'audit-archived' || record.format === 1) return;
    const said = detailsOf(record.body);
    const { fromId, toId } = said;
    const archive = this.#archives.find((one) => one.toId === toId);
    if (archive && isOf(archive, said)) {
      this.#recorded.add(archive);
      this.#faults.delete(toId);
    } else
      this.#faults.set(toId, `the entry of the archive of records ${fromId} to ${toId} in the database was changed`);
  }

  faults(): string[] {
    const last = this.#archives.at(-1);
    const faults = [...this.#faults.values()];
    if (!last || this.#recorded.has(last) || faults.length > 0) return faults;
    return [`the archive of records ${last.fromId} to ${last.toId} has no record of its own: it was forged`];
  }
}

function isOf({ fromId, toId, file, sha256, state, lostToId }: AuditArchive, said: AuditDetails): boolean {
  return (
    said.fromId === fromId &&
    said.toId === toId &&
    said.file === file &&
    said.sha256 === sha256 &&
    said.lostToId === lostToId &&
    said.heads === headsOf(state)
  );
}
