import type { KeyObject } from 'node:crypto';
import { ArchiveRecords } from './archive-records';
import type { ArchiveSource, ArchiveStore, AuditArchive } from './archive-store';
import { AuditFollower, NOTHING_RECORDED } from './archive-text';
import type { ChainHead, WriterHead } from './audit-record';
import type { AuditStore } from './audit-store';
import { AuditTotals } from './audit-totals';
import { isInJump, type RecordFault, type RecordFinding } from './chain-reader';
import { type Checkpoint, macVerdict } from './checkpoint';
import { CheckpointKeys, type ForeignCheckpoints } from './checkpoint-keys';
import { CommittedNames } from './committed-name';
import { CreatedProducts } from './created-products';
import { readArchives } from './read-archives';

/**
 * `archive`: an archive was altered, or forged. `other-key`: checkpoints of another key than the one given, and no record of the key
 * says that it was changed. `cut`: records are gone from the end of the chain. `added`: records follow the stored head of the chain. `totals`: the
 * records disagree with the rest of the database.
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
}

/** Both ends are included. */
export interface RecordRange {
  writer: string;
  fromSeq: number;
  toSeq: number;
}

interface CheckpointsChecked {
  /** In the chains, with a good MAC. */
  good: number;
  /** In the chains, made with another key than the one given, or no key was given. */
  unchecked: number;
  /** The one from outside: undefined if there was none. */
  outside?: { atMs: number; authentic: boolean };
  /** Good ones in the chains that are newer than the one from outside. */
  newer?: number;
  /** Wall time of the newest one with a good MAC, in the chains or from outside: nothing shows what was cut off that is younger. */
  newestGoodAtMs?: number;
  /**
   * When the key was changed last, wall time: no checkpoint of the key of today shows whether somebody made the records from
   * before again at that time. Undefined if it never was.
   */
  keyChangedAtMs?: number;
}

/** What was kept outside the database. */
export interface OutsideEvidence {
  /** Heads that were noted elsewhere and must still be in their chains. */
  expected?: readonly WriterHead[];
  checkpoint?: Checkpoint | undefined;
  /** It was noted elsewhere, so that it may be older than the newest one in the chains. */
  isCopy?: boolean;
  /** Why there is no checkpoint, if its file cannot be read. */
  damaged?: string | undefined;
  key?: KeyObject | undefined;
  /** The newest archives, so that their records are read too. */
  archives?: readonly ArchiveSource[];
}

type ReadAudit = Pick<
  AuditStore,
  'readAudit' | 'auditHeads' | 'auditFacts' | 'auditProducts' | 'auditNames' | 'auditStoreFaults'
> &
  Pick<ArchiveStore, 'auditArchives'>;

const PAGE = 1000;
/** One tampering seldom causes more than two findings (I15). */
const MAX_FINDINGS = 100;

/** As `verifyRecords`. Begins anew if records were archived meanwhile: they would seem to be missing. */
export async function verifyAudit(
  store: ReadAudit,
  evidence: OutsideEvidence = {},
  progress: (records: number) => void = () => {},
): Promise<AuditReport> {
  for (;;) {
    const archives = await store.auditArchives();
    const report = await verifyRecords(store, archives, evidence, progress);
    if ((await store.auditArchives()).at(-1)?.sha256 === archives.at(-1)?.sha256) return report;
  }
}

/**
 * Reads all records in the order of their ids, and compares them with the rest of the database and with what was kept outside.
 * Without anything from outside nobody can see that the newest records were cut off together with all other traces of them.
 * Keeps a page of records at a time. `progress` gets the number of records read so far.
 */
async function verifyRecords(
  store: ReadAudit,
  archives: readonly AuditArchive[],
  { expected = [], checkpoint, isCopy = false, damaged, key, archives: given = [] }: OutsideEvidence,
  progress: (records: number) => void,
): Promise<AuditReport> {
  const findings = new Findings();
  const noted = [...expected, ...(checkpoint?.heads ?? [])].map((head) => ({ ...head, isSeen: head.seq === 0 }));
  const authentic = checkpoint && key ? macVerdict(key, checkpoint) : 'other-key';
  if (checkpoint && authentic === 'bad') findings.add({ writer: null, seq: null, fault: 'bad-mac', text: FORGED_FILE });
  if (damaged !== undefined) findings.add({ writer: null, seq: null, fault: 'checkpoint', text: damaged });
  // Read first, because chains only grow while they are read.
  const before = { facts: await store.auditFacts(), heads: (await store.auditHeads()) ?? [] };
  const begin = archives.at(-1)?.state ?? NOTHING_RECORDED;
  const compare = (writer: string, { seq, hash }: ChainHead): void => {
    for (const head of noted) {
      if (head.writer !== writer || head.seq !== seq) continue;
      if (head.hash !== hash && !head.isSeen) findings.add({ writer, seq, ...REPLACED });
      head.isSeen = true;
    }
  };
  const found = (finding: RecordFinding): void => findings.add(finding);
  const altered = (text: string): void => findings.add({ writer: null, seq: null, fault: 'archive', text });
  const keys = new CheckpointKeys(key, checkpoint?.heads);
  const created = new CreatedProducts();
  const names = new CommittedNames();
  let unreadToId = begin.lastId;
  for await (const { record, writer } of readArchives({ known: archives, given, key, isWhole: true, found, altered })) {
    unreadToId = Math.min(unreadToId, record.id - 1);
    compare(writer, record);
    keys.take(writer, record);
    created.take(record);
    names.take(record);
    if (record.id % PAGE === 0) progress(record.id - unreadToId);
  }
  const follower = new AuditFollower(begin, key, found);
  for (const { writer, ...head } of follower.heads) compare(writer, head);
  const unread = unreadHeads(noted, unreadToId > 0 ? follower.heads : []);
  const totals = new AuditTotals(before.facts, begin);
  const archiveRecords = new ArchiveRecords(archives);
  for (let page = await store.readAudit(begin.lastId, PAGE); page.length > 0; ) {
    for (const record of page) {
      const writer = follower.take(record);
      compare(writer, record);
      keys.take(writer, record);
      created.take(record);
      names.take(record);
      totals.count(record);
      archiveRecords.take(record);
    }
    progress(follower.lastId - unreadToId);
    page = await store.readAudit(follower.lastId, PAGE);
  }
  for (const text of archiveRecords.faults()) altered(text);
  const newer = checkpoint && authentic === 'good' ? keys.newerCount : 0;
  if (newer > MAX_UNKEPT && !isCopy)
    findings.add({ writer: null, seq: null, fault: 'checkpoint', text: olderFileText(newer) });
  if (keys.foreign) findings.add(foreignFinding(keys.foreign));
  if (checkpoint && key && authentic === 'other-key' && !keys.isChangeSigned) findings.add(FOREIGN_FILE);
  const { reader, state } = follower;
  reader.end();
  const ends = reader.ends();
  for (const { writer, seq } of noted.filter((head) => !head.isSeen && !unread.has(head))) {
    const end = ends.find((one) => one.writer === writer);
    const isUndone = isInJump(seq, end?.jumps ?? []);
    const text = isUndone ? `a restore has undone record ${seq}` : cutText(seq);
    findings.addOnce({ writer, seq: isUndone ? seq : (end?.seq ?? 0) + 1, fault: 'cut', text });
  }
  for (const { writer, seq } of before.heads) {
    const end = ends.find((one) => one.writer === writer)?.seq ?? 0;
    if (end < seq) findings.addOnce({ writer, seq: end + 1, fault: 'cut', text: cutText(seq) });
  }
  // Read last, because heads only go up: none of them is behind the records that were read.
  for (const finding of addedRecords(ends, await store.auditHeads())) findings.add(finding);
  const disagreements = [
    ...(await store.auditStoreFaults()),
    ...totals.disagreements(await store.auditFacts(), state),
    ...created.disagreements(await store.auditProducts()),
    ...names.disagreements(await store.auditNames()),
  ];
  for (const text of disagreements) {
    findings.add({ writer: null, seq: null, fault: 'totals', text });
  }
  const outsideGoodAtMs = authentic === 'good' ? checkpoint?.atMs : undefined;
  const newestGoodAtMs = later(keys.newestGoodAtMs, outsideGoodAtMs);
  const confirming = authentic === 'good' ? noted.filter((head) => !unread.has(head)) : expected;
  return {
    records: begin.lastId - unreadToId + totals.records,
    heads: ends.map(({ writer, seq, hash }) => ({ writer, seq, hash })),
    findings: findings.first,
    faults: findings.count,
    unconfirmed: unconfirmedRecords(ends, confirming),
    ...(begin.lastId === 0 ? {} : { archived: archivedPart(archives, begin.lastId, unreadToId) }),
    checkpoints: {
      ...reader.checkpoints,
      ...(checkpoint && { outside: { atMs: checkpoint.atMs, authentic: authentic === 'good' } }),
      ...(newer > 0 && { newer }),
      ...(newestGoodAtMs !== undefined && { newestGoodAtMs }),
      ...(keys.changedAtMs !== undefined && { keyChangedAtMs: keys.changedAtMs }),
    },
  };
}

/** Heads of records that are in archives which were not given, so that nobody can compare them. */
function unreadHeads<Head extends WriterHead & { isSeen: boolean }>(
  noted: readonly Head[],
  archived: readonly WriterHead[],
): Set<Head> {
  const isUnread = ({ writer, seq, isSeen }: Head): boolean =>
    !isSeen && archived.some((head) => head.writer === writer && seq < head.seq);
  return new Set(noted.filter(isUnread));
}

function archivedPart(archives: readonly AuditArchive[], toId: number, unreadToId: number): ArchivedPart {
  const unread = archives.filter((archive) => archive.toId <= unreadToId).map(({ file }) => file);
  return { toId, unreadToId, unread };
}

const FORGED_FILE = 'the checkpoint file was forged: its MAC is not that of its heads';
const FOREIGN_FILE: AuditFinding = {
  writer: null,
  seq: null,
  fault: 'other-key',
  text: 'the checkpoint file was made with another key than audit.key: it was forged, or it is of another audit',
};
/** A server may be writing the newest one, or its disk may have failed for some minutes. */
const MAX_UNKEPT = 3;

function olderFileText(newer: number): string {
  return `the checkpoint file lacks the ${newer} newest checkpoints of the chains: an older one has taken its place, or it could not be written (the log says so)`;
}

const REPLACED = { fault: 'changed', text: 'the record is not the one of the noted head' } as const;

function later(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}

function foreignFinding({ writer, seq, count }: ForeignCheckpoints): AuditFinding {
  const which = count === 1 ? 'this checkpoint' : `${count} checkpoints, this is the first,`;
  const text = `another key than audit.key made ${which} and no record says that the key was changed`;
  return { writer, seq, fault: 'other-key', text };
}

/** Bounded (I15). */
class Findings {
  readonly first: AuditFinding[] = [];
  count = 0;

  add(finding: AuditFinding): void {
    this.count += 1;
    if (this.first.length < MAX_FINDINGS) this.first.push(finding);
  }

  /** Two heads may miss the same records. */
  addOnce(finding: AuditFinding): void {
    if (
      this.first.some(
        ({ writer, seq, fault }) => writer === finding.writer && seq === finding.seq && fault === finding.fault,
      )
    )
      return;
    this.add(finding);
  }
}

function cutText(seq: number): string {
  return `the chain ends here, but once had ${seq} records`;
}

/** `kept`: undefined if the store has no heads. */
function addedRecords(ends: readonly WriterHead[], kept: readonly WriterHead[] | undefined): AuditFinding[] {
  if (!kept) return [];
  return ends.flatMap(({ writer, seq }) => {
    const head = kept.find((one) => one.writer === writer);
    if (!head) return [{ writer, seq: 1, fault: 'added' as const, text: NO_HEAD }];
    if (head.seq >= seq) return [];
    const text = `the database knows this chain up to record ${head.seq}: what follows was added by another program`;
    return [{ writer, seq: head.seq + 1, fault: 'added' as const, text }];
  });
}

const NO_HEAD =
  'the database keeps no head of this chain: another program added the chain, or removed what the database knew of it';

function unconfirmedRecords(
  ends: readonly (WriterHead & { confirmedSeq: number })[],
  expected: readonly WriterHead[],
): RecordRange[] {
  return ends.flatMap(({ writer, seq, confirmedSeq }) => {
    const noted = expected.filter((head) => head.writer === writer).map((head) => head.seq);
    const confirmed = Math.max(confirmedSeq, ...noted);
    return confirmed >= seq ? [] : [{ writer, fromSeq: confirmed + 1, toSeq: seq }];
  });
}
