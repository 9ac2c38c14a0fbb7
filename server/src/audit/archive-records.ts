import type { AuditArchive } from './archive-store';
import { headsOf } from './archive-text';
import { type AuditDetails, detailsOf } from './audit-record';
import type { StoredAuditRecord } from './audit-store';

/** The record of each archive is behind its records: that of the newest one is in the database. */
export class ArchiveRecords {
  readonly #archives: readonly AuditArchive[];
  readonly #told = new Set<AuditArchive>();
  readonly #faults: string[] = [];

  constructor(archives: readonly AuditArchive[]) {
    this.#archives = archives;
  }

  take(record: StoredAuditRecord): void {
    if (record.kind !== 'audit-archived' || record.format === 1) return;
    const said = detailsOf(record.body);
    const archive = this.#archives.find(({ toId }) => toId === said.toId);
    if (archive && isOf(archive, said)) this.#told.add(archive);
    else
      this.#faults.push(`what the database knows of the archive of records ${said.fromId} to ${said.toId} was changed`);
  }

  faults(): string[] {
    const last = this.#archives.at(-1);
    if (!last || this.#told.has(last) || this.#faults.length > 0) return this.#faults;
    return [`no record tells of the archive of records ${last.fromId} to ${last.toId}: it was forged`];
  }
}

function isOf({ fromId, toId, file, sha256, state }: AuditArchive, said: AuditDetails): boolean {
  return (
    said.fromId === fromId &&
    said.toId === toId &&
    said.file === file &&
    said.sha256 === sha256 &&
    said.heads === headsOf(state)
  );
}
