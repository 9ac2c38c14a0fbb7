import type { AuditArchive } from './archive-store';
import { headsOf } from './archive-text';
import { type AuditDetails, detailsIn, detailsOf } from './audit-record';
import type { StoredAuditRecord, StoredRecord } from './audit-store';
import { membersOf } from './json-members';
import { stateBefore } from './read-archives';

/** When an operator gave records up (wall time), and who. */
interface GivenUp {
  atMs: number;
  /** The id of the operator's name. */
  actorId: unknown;
}

/** The loss of a part of an archive, as its record says it. */
interface RecordedLoss extends GivenUp {
  details: AuditDetails;
}

/**
 * Compares the archives that the database remembers with the records about archives. The record of an archive comes behind the
 * records that it holds: in the database or in a later archive. If the file was written again there are two such records, and the
 * later one counts. Each loss of an archive's first records has a record too.
 */
export class ArchiveRecords {
  readonly #archives: readonly AuditArchive[];
  readonly #recorded = new Set<AuditArchive>();
  /** By the last record of the archive. */
  readonly #faults = new Map<unknown, string>();
  readonly #losses = new Map<AuditArchive, RecordedLoss[]>();

  constructor(archives: readonly AuditArchive[]) {
    this.#archives = archives;
  }

  take(record: StoredAuditRecord): void {
    if (record.format === 1) return;
    if (record.kind === 'audit-archived') this.#takeArchived(detailsOf(record.body));
    if (record.kind === 'audit-lost') this.#takeLost(record);
  }

  /** Undefined unless the records that were read cover all that the archive has lost. */
  givenUp(archive: AuditArchive): GivenUp | undefined {
    return this.#recorded.has(archive) && this.#isCovered(archive) ? this.#losses.get(archive)?.at(-1) : undefined;
  }

  /** `unreadToId`: the records up to it were not read. */
  faults(unreadToId: number): string[] {
    const faults = [...this.#faults.values()];
    for (const archive of this.#archives) {
      const { fromId, toId, lost } = archive;
      // Its record may be one that was not read, or that a later archive has lost.
      const isKnown = toId >= unreadToId && !this.#archives.some((other) => other.lost && other.fromId > toId);
      if (!isKnown) continue;
      if (!this.#recorded.has(archive) && !this.#faults.has(toId))
        faults.push(`the archive of records ${fromId} to ${toId} has no record of its own: it was forged`);
      if (lost && !this.#isCovered(archive))
        faults.push(
          `no record says that the records ${fromId} to ${lost.lastId} were given up: the entry of their archive was forged`,
        );
    }
    return faults;
  }

  #takeArchived(details: AuditDetails): void {
    const { fromId, toId } = details;
    const archive = this.#archives.find((one) => one.toId === toId);
    if (archive && isRecordOf(archive, details)) {
      this.#recorded.add(archive);
      this.#faults.delete(toId);
    } else
      this.#faults.set(toId, `the entry of the archive of records ${fromId} to ${toId} in the database was changed`);
  }

  #takeLost({ body, atMs }: StoredRecord): void {
    const members = membersOf(body);
    const details = detailsIn(members);
    const archive = this.#archives.find(({ toId }) => toId >= Number(details.toId));
    if (!archive) return;
    const losses = this.#losses.get(archive) ?? [];
    this.#losses.set(archive, [...losses, { details, atMs, actorId: members.actor }]);
  }

  /** Whether records cover all that it has lost: each goes on where the one before it ends. */
  #isCovered(archive: AuditArchive): boolean {
    if (!archive.lost) return true;
    let nextId: unknown = archive.fromId;
    let heads: unknown = headsOf(stateBefore(this.#archives, archive));
    for (const { details } of this.#losses.get(archive) ?? []) {
      if (details.fromId !== nextId || details.after !== heads) return false;
      nextId = Number(details.toId) + 1;
      heads = details.heads;
    }
    return nextId === archive.lost.lastId + 1 && heads === headsOf(archive.lost);
  }
}

function isRecordOf({ fromId, toId, file, sha256, state, lost }: AuditArchive, details: AuditDetails): boolean {
  return (
    details.fromId === fromId &&
    details.toId === toId &&
    details.file === file &&
    details.sha256 === sha256 &&
    details.lostToId === lost?.lastId &&
    details.heads === headsOf(state)
  );
}
