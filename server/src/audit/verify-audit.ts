import { ArchiveRecords } from './archive-records';
import type { ArchiveStore, AuditArchive } from './archive-store';
import { AuditFollower, type AuditState, NOTHING_RECORDED, writerHeads } from './archive-text';
import type { WriterHead } from './audit-record';
import type { ArchivedPart, AuditFinding, AuditReport, RecordRange } from './audit-report';
import type { AuditStore, KeptNames } from './audit-store';
import { AuditTotals } from './audit-totals';
import { isInJump } from './chain';
import type { ChainReader, ReadRecord } from './chain-reader';
import { CheckpointKeys, type ForeignCheckpoints } from './checkpoint-keys';
import { CommittedNames } from './committed-name';
import { CreatedProducts } from './created-products';
import { KeptOutside, type OutsideEvidence } from './kept-outside';
import { checkLeftRecords } from './left-records';
import { readArchives, stateBefore } from './read-archives';

export type ReadAudit = Pick<
  AuditStore,
  'readAudit' | 'auditHeads' | 'auditFacts' | 'auditProducts' | 'auditNames' | 'auditStoreFaults'
> &
  Pick<ArchiveStore, 'auditArchives' | 'removedState'>;

const PAGE = 1000;
/** One tampering seldom causes more than two findings (I15). */
const MAX_FINDINGS = 100;

/**
 * As `verifyRecords`. Begins again if records were archived meanwhile, because they would seem to be missing. `evidence`: a function
 * beside a running server, which goes on writing its checkpoint file.
 */
export async function verifyAudit(
  store: ReadAudit,
  evidence: OutsideEvidence | (() => OutsideEvidence) = {},
  progress: (records: number) => void = () => {},
): Promise<AuditReport> {
  for (;;) {
    const archives = await store.auditArchives();
    const outside = typeof evidence === 'function' ? evidence() : evidence;
    const report = await verifyRecords(store, archives, outside, progress);
    if ((await store.auditArchives()).at(-1)?.sha256 === archives.at(-1)?.sha256) return report;
  }
}

/**
 * Reads all records in the order of their ids, and compares them with other tables of the database and with what was kept outside.
 * Without anything from outside, nothing shows whether the newest records were cut off together with all other traces of them.
 * Holds one page of records at a time. `progress` gets the number of records read so far.
 */
async function verifyRecords(
  store: ReadAudit,
  archives: readonly AuditArchive[],
  evidence: OutsideEvidence,
  progress: (records: number) => void,
): Promise<AuditReport> {
  const { key, archives: given = [] } = evidence;
  const findings = new Findings();
  const found = (finding: AuditFinding): void => findings.add(finding);
  const ofNoWriter = (fault: AuditFinding['fault'], text: string): void =>
    findings.add({ writer: null, seq: null, fault, text });
  const altered = (text: string): void => ofNoWriter('archive', text);
  const outside = new KeptOutside(evidence, found);
  // Read first, because chains only grow while they are read.
  const before = {
    facts: await store.auditFacts(),
    heads: (await store.auditHeads()) ?? [],
    names: await store.auditNames(),
  };
  const begin = archives.at(-1)?.state ?? NOTHING_RECORDED;
  const keys = new CheckpointKeys(evidence.checkpoint?.heads, before.heads);
  const created = new CreatedProducts();
  const names = new CommittedNames();
  const archiveRecords = new ArchiveRecords(archives);
  const take = ({ record, writer, verdict }: ReadRecord): void => {
    outside.compare(writer, record);
    archiveRecords.take(record);
    keys.take(writer, record, verdict);
    created.take(record);
    names.take(record);
  };
  let firstRead: AuditArchive | undefined;
  let archivedRecords = 0;
  for await (const read of readArchives({ known: archives, given, key, isWhole: true, found, altered })) {
    firstRead ??= archives.find(({ toId }) => toId >= read.record.id);
    take(read);
    archivedRecords += 1;
    if (archivedRecords % PAGE === 0) progress(archivedRecords);
  }
  const unread = firstRead ? stateBefore(archives, firstRead) : begin;
  const follower = new AuditFollower(begin, key, found);
  compareArchived(outside, follower.heads, archives, unread);
  await checkLeftRecords(store, begin, found);
  const isWhole = unread.lastId === 0 && archives.every(({ lost }) => lost === undefined);
  const totals = new AuditTotals(before.facts, begin);
  for (let page = await store.readAudit(begin.lastId, PAGE); page.length > 0; ) {
    for (const record of page) {
      take(follower.take(record));
      totals.count(record);
    }
    progress(archivedRecords + totals.records);
    page = await store.readAudit(follower.lastId, PAGE);
  }
  for (const text of archiveRecords.faults(unread.lastId)) altered(text);
  const newer = outside.newerOf(keys.newerCount);
  if (keys.foreign) findings.add(foreignFinding(keys.foreign));
  outside.compareKey(keys.isChangeSigned);
  const { reader, state } = follower;
  reader.end();
  const ends = reader.ends();
  for (const finding of cutChains(ends, outside.missing(), before.heads)) findings.addOnce(finding);
  // Read last, because heads only go up: none of them is behind the records that were read.
  for (const finding of addedRecords(ends, await store.auditHeads())) findings.add(finding);
  const disagreements = [
    ...(await store.auditStoreFaults()),
    ...totals.disagreements(await store.auditFacts(), state),
    ...created.disagreements(await store.auditProducts()),
    ...names.disagreements(before.names, await store.auditNames(), isWhole),
  ];
  for (const text of disagreements) ofNoWriter('totals', text);
  const kept = outside.checkpoint;
  const newestGoodAtMs = later(keys.newestGoodAtMs, kept?.authentic ? kept.atMs : undefined);
  return {
    records: archivedRecords + totals.records,
    heads: ends.map(({ writer, seq, hash }) => ({ writer, seq, hash })),
    findings: findings.first,
    faults: findings.count,
    unconfirmed: unconfirmedRecords(ends, outside.confirming()),
    ...(begin.lastId === 0
      ? {}
      : { archived: archivedPart(before.names.people, archives, archiveRecords, unread.lastId) }),
    ...(outside.uncompared.length === 0 ? {} : { uncompared: outside.uncompared }),
    checkpoints: {
      ...reader.checkpoints,
      ...(kept && { outside: kept }),
      ...(newer > 0 && { newer }),
      ...(newestGoodAtMs !== undefined && { newestGoodAtMs }),
      ...(keys.changedAtMs !== undefined && { keyChangedAtMs: keys.changedAtMs }),
    },
  };
}

function archivedPart(
  people: KeptNames['people'],
  archives: readonly AuditArchive[],
  records: ArchiveRecords,
  unreadToId: number,
): ArchivedPart {
  const unread = archives.filter(({ toId }) => toId <= unreadToId).map(({ file }) => file);
  const lost = archives.flatMap((archive) => {
    if (!archive.lost) return [];
    const { atMs, actorId } = records.givenUp(archive) ?? {};
    const actor = people.find(({ id }) => id === actorId)?.name ?? undefined;
    const givenUp = atMs === undefined ? {} : { givenUp: { atMs, ...(actor !== undefined && { actor }) } };
    return [{ fromId: archive.fromId, toId: archive.lost.lastId, ...givenUp }];
  });
  return { toId: archives.at(-1)?.toId ?? 0, unreadToId, unread, ...(lost.length === 0 ? {} : { lost }) };
}

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

/** For records that are in archives: compares the ends of their chains, and skips those whose archives were not given or are lost. */
function compareArchived(
  outside: KeptOutside,
  ends: readonly WriterHead[],
  archives: readonly AuditArchive[],
  unread: AuditState,
): void {
  for (const { writer, ...head } of ends) outside.compare(writer, head);
  outside.skip([], writerHeads(unread));
  for (const archive of archives)
    if (archive.lost) outside.skip(writerHeads(stateBefore(archives, archive)), writerHeads(archive.lost));
}

/** `missing`: heads from outside whose records are gone. `before`: the heads that were stored before the reading. */
function cutChains(
  ends: ReturnType<ChainReader['ends']>,
  missing: readonly WriterHead[],
  before: readonly WriterHead[],
): AuditFinding[] {
  const endOf = (name: string) => ends.find(({ writer }) => writer === name);
  const cut = (writer: string, seq: number): AuditFinding => {
    const text = `the chain ends here, but once had ${seq} records`;
    return { writer, seq: (endOf(writer)?.seq ?? 0) + 1, fault: 'cut', text };
  };
  const gone = missing.map(({ writer, seq }): AuditFinding => {
    if (!isInJump(seq, endOf(writer)?.jumps ?? [])) return cut(writer, seq);
    return { writer, seq, fault: 'cut', text: `a restore has undone record ${seq}` };
  });
  const shorter = before.filter(({ writer, seq }) => (endOf(writer)?.seq ?? 0) < seq);
  return [...gone, ...shorter.map(({ writer, seq }) => cut(writer, seq))];
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
