import type { WriterHead } from './audit-record';
import type { RecordFault } from './chain-reader';

/**
 * `archive`: an archive was altered or forged. `other-key`: another key than the given one made checkpoints, and no record says that
 * the key was changed. `cut`: records are gone from the end of the chain. `added`: records follow the stored head of the chain, or
 * stand where the database has none any more.
 * `totals`: the records disagree with other tables of the database.
 */
export interface AuditFinding {
  /** Null if the writer is unknown. */
  writer: string | null;
  /** The first record concerned. */
  seq: number | null;
  fault: RecordFault | 'other-key' | 'cut' | 'added' | 'totals' | 'archive' | 'checkpoint';
  text: string;
}

export interface AuditReport {
  records: number;
  /** The end of each writer's chain, as it was read. */
  heads: WriterHead[];
  /** The first MAX_FINDINGS; `faults` counts all of them. */
  findings: AuditFinding[];
  faults: number;
  /**
   * Records that no head from outside and no checkpoint with a good MAC confirms. Somebody who can write the database could have
   * made them again, or added a writer, and this report would not show it.
   */
  unconfirmed: RecordRange[];
  checkpoints: CheckpointsChecked;
  /** Heads from outside whose records are lost, or in an archive that was not given; undefined if there are none. */
  uncompared?: readonly WriterHead[];
  /** Records that are in archives; undefined if none are. */
  archived?: ArchivedPart;
}

export interface ArchivedPart {
  /** All records up to this id are in archives. */
  toId: number;
  /** Up to this id they were not read, because their archives were not given. */
  unreadToId: number;
  /** The names of the archives that were not given, as they were written. */
  unread: string[];
  lost?: LostPart[];
}

/** Records that are lost with the file of their archive; by id, both ends are included. */
export interface LostPart {
  fromId: number;
  toId: number;
  /** As the record `audit-lost` says it; undefined if that record was not read, so that nothing confirms the loss. Wall time. */
  givenUp?: { atMs: number; actor?: string };
}

/** Both ends are included. */
export interface RecordRange {
  writer: string;
  fromSeq: number;
  toSeq: number;
}

interface CheckpointsChecked {
  /** How many in the chains have a good MAC. */
  good: number;
  /** How many in the chains were made with another key than the given one, or could not be checked without a key. */
  unchecked: number;
  /** The one from outside: undefined if there was none. */
  outside?: { atMs: number; authentic: boolean };
  /** Good ones in the chains that are newer than the one from outside. */
  newer?: number;
  /** Wall time of the newest one with a good MAC, in the chains or from outside. If later records were cut off, nothing shows it. */
  newestGoodAtMs?: number;
  /**
   * Wall time of the last change of the key; undefined if it never was changed. Whoever changed it could make all older records
   * again, and no checkpoint of the present key would show it.
   */
  keyChangedAtMs?: number;
}

/** The first fault as a part of a sentence: `broken at cli 12: ...`. Undefined if the audit is sound. */
export function brokenAudit({ findings: [first] }: Pick<AuditReport, 'findings'>): string | undefined {
  if (!first) return undefined;
  const where = first.writer === null ? '' : ` at ${first.writer} ${first.seq}`;
  return `broken${where}: ${first.text}`;
}
