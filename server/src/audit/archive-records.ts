import type { AuditArchive } from './archive-store';
import { headsOf } from './archive-text';
import { type AuditDetails, detailsIn, detailsOf } from './audit-record';
import type { StoredAuditRecord, StoredRecord } from './audit-store';
import { membersOf } from './json-members';
import { stateBefore } from './read-archives';

/** Who gave records up, and when (wall time). */
interface GivenUp {
  atMs: number;
  /** An id of a name. */
  actorId: unknown;
}

/** A part of an archive that is lost, as a record says it. */
interface SaidLoss extends GivenUp {
  details: AuditDetails;
}

/**
 * The record of each archive is behind its records: that of the newest one is in the database, others may be in later archives. An
 * archive whose file was written again has two, of which the later one counts. Each loss of its first records has a record too.
 */
export class ArchiveRecords {
  readonly #archives: readonly AuditArchive[];
  readonly #recorded = new Set<AuditArchive>();
  /** By the last record of the archive. */
  readonly #faults = new Map<unknown, string>();
  readonly #losses = new Map<AuditArchive, SaidLoss[]>();

  constructor(archives: readonly AuditArchive[]) {
    this.#archives = archives;
  }

  take(record: StoredAuditRecord): void {
    if (record.format === 1) return;
    if (record.kind === 'audit-archived') this.#takeArchived(detailsOf(record.body));
    if (record.kind === 'audit-lost') this.#takeLost(record);
  }

  /** Undefined if the records that were read do not say so of all that the archive has lost. */
  givenUp(archive: AuditArchive): GivenUp | undefined {
    return this.#recorded.has(archive) && this.#isCovered(archive) ? this.#losses.get(archive)?.at(-1) : undefined;
  }

  /** `unreadToId`: the records up to it were not read. */
  faults(unreadToId: number): string[] {
    const faults = [...this.#faults.values()];
    for (const archive of this.#archives) {
      const { fromId, toId, lost } = archive;
      // What says so may be among records that were not read, or among those that a later archive has lost.
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

  #takeArchived(said: AuditDetails): void {
    const { fromId, toId } = said;
    const archive = this.#archives.find((one) => one.toId === toId);
    if (archive && isOf(archive, said)) {
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

  /** Whether records tell of all that it has lost: each goes on where the one before it ends. */
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

function isOf({ fromId, toId, file, sha256, state, lost }: AuditArchive, said: AuditDetails): boolean {
  return (
    said.fromId === fromId &&
    said.toId === toId &&
    said.file === file &&
    said.sha256 === sha256 &&
    said.lostToId === lost?.lastId &&
    said.heads === headsOf(state)
  );
}
