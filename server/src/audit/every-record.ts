import { RelaygateError } from '@relaygate/shared';
import { LRUCache } from 'lru-cache';
import type { ArchiveSource, ArchiveStore, AuditArchive } from './archive-store';
import { AuditFollower, NOTHING_RECORDED, timeOf } from './archive-text';
import type { ListedRecord } from './audit-list';
import { commandIdOf } from './audit-record';
import type { AuditRow, StoredAuditRecord } from './audit-store';
import type { ReadRecord } from './chain-reader';
import { readArchives } from './read-archives';

type ReadRows = Pick<ArchiveStore, 'readAudit' | 'auditArchives' | 'auditRows'>;

const PAGE = 500;
/** Outcomes follow their commands within seconds; those of devices that were away, after many others. */
const REMEMBERED_COMMANDS = 100_000;

/** The records of these archives, as a list shows them. Fails with `audit-broken` if an archive was altered. */
export async function* archivedRows(store: ReadRows, given: readonly ArchiveSource[]): AsyncGenerator<AuditRow[]> {
  if (given.length > 0) yield* rowsOf(store, archivedRecords(store, given, false));
}

/** The records of these archives, then all of the database. None may be missing between. */
export async function* everyRow(store: ReadRows, given: readonly ArchiveSource[]): AsyncGenerator<AuditRow[]> {
  yield* rowsOf(store, everyRecord(store, given));
}

async function* everyRecord(store: ReadRows, given: readonly ArchiveSource[]): AsyncGenerator<ReadRecord> {
  const archives = await store.auditArchives();
  yield* archivedRecords(store, given, true);
  const follower = new AuditFollower(archives.at(-1)?.state ?? NOTHING_RECORDED, undefined, () => {});
  for (;;) {
    const { lastId } = follower;
    const page = await store.readAudit(lastId, PAGE);
    await refuseArchived(store, archives, lastId);
    if (page.length === 0) return;
    for (const record of page) yield follower.take(record);
  }
}

/**
 * To be called after a page behind `lastId` was read. Fails with `archived-meanwhile` if another program archived records of this
 * page: it may have removed them before they were read. `archives`: what there was when the reading began.
 */
export async function refuseArchived(
  store: Pick<ReadRows, 'auditArchives'>,
  archives: readonly AuditArchive[],
  lastId: number,
): Promise<void> {
  const last = (await store.auditArchives()).at(-1);
  if (!last || last.toId <= Math.max(archives.at(-1)?.toId ?? 0, lastId)) return;
  const text = `Records up to ${last.toId} were archived in ${last.file} while they were read, so that some would be missing`;
  throw new RelaygateError('archived-meanwhile', `${text}. Run it again with --archive and that file.`);
}

async function* archivedRecords(
  store: ReadRows,
  given: readonly ArchiveSource[],
  isWhole: boolean,
): AsyncGenerator<ReadRecord> {
  const altered = (text: string): never => {
    throw new RelaygateError('audit-broken', `${text}. "audit verify --archive" says more.`);
  };
  const found = ({ writer, seq, text }: { writer: string; seq: number; text: string }): never =>
    altered(`${writer} ${seq}: ${text}`);
  yield* readArchives({ known: await store.auditArchives(), given, key: undefined, isWhole, found, altered });
}

async function* rowsOf(store: ReadRows, records: AsyncIterable<ReadRecord>): AsyncGenerator<AuditRow[]> {
  const commands = new LRUCache<string, string>({ max: REMEMBERED_COMMANDS });
  let page: ListedRecord[] = [];
  for await (const { record, writer } of records) {
    page.push(listed(record, writer, commands));
    if (page.length < PAGE) continue;
    yield await store.auditRows(page);
    page = [];
  }
  yield await store.auditRows(page);
}

function listed(record: StoredAuditRecord, name: string, commands: LRUCache<string, string>): ListedRecord {
  const { id, seq, kind, body, hash, format } = record;
  const row = { id, name, seq, kind, body, hash, format, atMs: timeOf(record) };
  const commandId = kind === 'command' || kind === 'outcome' ? commandIdOf(record) : undefined;
  if (commandId === undefined) return row;
  if (kind === 'command') commands.set(commandId, body);
  const commandBody = commands.get(commandId);
  return commandBody === undefined ? row : { ...row, commandBody };
}
