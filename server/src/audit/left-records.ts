import type { ArchiveStore } from './archive-store';
import { AuditFollower, type AuditState, headsOf, idBefore, NOTHING_RECORDED } from './archive-text';
import type { AuditFinding } from './audit-report';

const PAGE = 1000;

/**
 * Checks the records up to `end`, where the archives end. A list shows them, but only a run that was cut short leaves any of them in
 * the database: the last ones, behind those that were removed. `found` gets each fault.
 */
export async function checkLeftRecords(
  store: Pick<ArchiveStore, 'readAudit' | 'removedState'>,
  end: AuditState,
  found: (finding: AuditFinding) => void,
): Promise<void> {
  const ofNoWriter = (fault: AuditFinding['fault'], text: string): void =>
    found({ writer: null, seq: null, fault, text });
  const followRemoved = async (): Promise<AuditFollower | undefined> => {
    const removed = await store.removedState();
    return removed === null ? undefined : new AuditFollower(removed ?? NOTHING_RECORDED, undefined, found);
  };
  let follower = await followRemoved();
  let firstId: number | undefined;
  for (let readId = Number.MIN_SAFE_INTEGER; ; ) {
    const page = (await store.readAudit(readId, PAGE)).filter(({ id }) => id <= end.lastId);
    const newest = await followRemoved();
    if (newest && follower && newest.lastId > follower.lastId) {
      // Another program has removed records of this page before they were read.
      follower = newest;
      firstId = undefined;
      continue;
    }
    if (page.length === 0) break;
    for (const record of page) {
      readId = record.id;
      if (record.id <= (follower?.lastId ?? 0)) {
        ofNoWriter('added', addedText(record.id, end));
        continue;
      }
      // What they follow, the version of this database did not keep.
      if (!follower) return;
      if (firstId === undefined && idBefore(record) !== follower.lastId)
        return ofNoWriter('archive', `${leftText(record.id, end)} follow nothing that the database knows. ${FINISH}`);
      firstId ??= record.id;
      follower.take(record);
    }
  }
  if (!follower || firstId === undefined) return;
  follower.reader.end();
  if (headsOf(follower.state) !== headsOf(end))
    ofNoWriter('archive', `${leftText(firstId, end)} are not those that were archived. ${FINISH}`);
}

function addedText(id: number, { lastId }: AuditState): string {
  const why = lastId === 0 ? 'ids begin with 1' : `the records up to ${lastId} were archived and removed`;
  return `the record with the id ${id} was added: ${why}`;
}

function leftText(fromId: number, { lastId }: AuditState): string {
  return `the records with ids ${fromId} to ${lastId}, which the last archive has too,`;
}

const FINISH = 'If that file is sound, "audit archive" with it as --out removes them from the database';
