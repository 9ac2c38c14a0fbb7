import type { KeyObject } from 'node:crypto';
import { RelaygateError, type WallClock } from '@relaygate/shared';
import type { ArchiveFiles, ArchiveSource, ArchiveStore, AuditArchive } from './archive-store';
import {
  ArchiveDecoder,
  ArchiveEncoder,
  AuditFollower,
  type AuditState,
  BrokenArchive,
  idBefore,
  NOTHING_RECORDED,
  timeOf,
} from './archive-text';
import type { StoredAuditRecord } from './audit-store';
import type { RecordFinding } from './chain-reader';
import { checkLeftRecords } from './left-records';

export interface ArchiveDeps {
  store: ArchiveStore;
  files: ArchiveFiles;
  /** Of checkpoints. */
  key: KeyObject;
  wallClock: WallClock;
  /** Waits between two writes, so that a running server can write meanwhile. */
  pause(): Promise<void>;
  progress: ArchiveProgress;
}

/** Each gets the number of records so far. */
export interface ArchiveProgress {
  written(records: number): void;
  verified(records: number): void;
  removed(records: number): void;
}

export interface Archived extends Omit<AuditArchive, 'state' | 'lost'> {
  /** Its records up to this one are lost with an earlier file. */
  lostToId?: number;
  sizeBytes: number;
  /** How many its file holds. */
  records: number;
  /** Removed from the database by this run. */
  removed: number;
}

const PAGE = 1000;
/** Of text. If an archive is damaged, its reader loses whole blocks. */
const BLOCK_CHARS = 512 * 1024;
const REMOVED_AT_ONCE = 500;

/**
 * Moves the records before `beforeMs` into `file`: the oldest ones up to the first that is not older (`keptSince`). It removes
 * them only after the file is durable, was read back, agrees with the database, and is recorded. If a run is cut short, another run
 * with the same file finishes it; the file may be lost as long as none of its records was removed. Undefined if no record is so old.
 * Fails with
 * - `audit-broken` if these records are not sound: an archive would hide it,
 * - `already-exists` if `file` is something else, or another run is ahead of this one,
 * - `archive-unfinished` if an earlier run was cut short, and `file` is not its file,
 * - `not-verified` if what was read back is not what was written.
 */
export async function archiveAudit(
  deps: ArchiveDeps,
  { beforeMs, file }: { beforeMs: number; file: string },
): Promise<Archived | undefined> {
  const { store, files, wallClock } = deps;
  const archives = await store.auditArchives();
  const last = archives.at(-1);
  await refuseAdded(store, last);
  const existing = files.open(file);
  if (last) {
    const isSame = (await existing?.sha256()) === last.sha256;
    if (existing && isSame) return finishArchive(deps, last, existing);
  }
  const lost = last && (await lostArchive(store, last, existing ? undefined : file));
  const begin = (lost ? archives.at(-2) : last)?.state ?? NOTHING_RECORDED;
  const isKept = lost ? ({ id }: StoredAuditRecord) => id > lost.toId : keptSince(deps, beforeMs);
  const written = await archiveRange(deps, begin, { file, existing, isKept });
  if (!written) return undefined;
  const { source, sha256, state, records } = written;
  const [first] = await store.readAudit(begin.lastId, 1);
  const archive = { file: source.file, fromId: first?.id ?? begin.lastId + 1, toId: state.lastId, sha256, state };
  await store.recordArchive(archive, wallClock.epochMs());
  return finishArchive(deps, archive, source, records);
}

/** Fails with `audit-broken`: the end of a run would remove an added record, and with it what shows that somebody added it. */
export async function refuseAdded(store: ArchiveStore, last: AuditArchive | undefined): Promise<void> {
  await checkLeftRecords(store, last?.state ?? NOTHING_RECORDED, ({ fault, text }) => {
    if (fault === 'added') throw broken(text);
  });
}

/**
 * Whether a record is not older than `beforeMs`. One from ahead of the clock is as old as those behind it: if older ones follow, the
 * clock was ahead then; if none does, the clock may be behind now.
 */
function keptSince({ store, wallClock }: ArchiveDeps, beforeMs: number): ArchivedRange['isKept'] {
  const nowMs = wallClock.epochMs();
  let olderId: number | undefined;
  return async (record) => {
    const atMs = timeOf(record);
    if (atMs < beforeMs || atMs <= nowMs) return atMs >= beforeMs;
    if (olderId === undefined || olderId < record.id) olderId = await idOfOlder(store, record.id, beforeMs);
    return olderId === undefined;
  };
}

/** Of the first record behind `afterId` that is older than `beforeMs`. */
async function idOfOlder(store: ArchiveStore, afterId: number, beforeMs: number): Promise<number | undefined> {
  for await (const record of recordsOf(store, afterId)) if (timeOf(record) < beforeMs) return record.id;
  return undefined;
}

/** Writes the records before the first one that is kept, and reads the file back. Undefined, and no file, if there are none. */
export async function archiveRange(
  deps: ArchiveDeps,
  begin: AuditState,
  { file, existing, isKept }: ArchivedRange,
): Promise<(VerifiedArchive & { source: ArchiveSource; sha256: string }) | undefined> {
  if (!existing && !(await write(deps, begin, { file, isKept }))) return undefined;
  const source = existing ?? deps.files.open(file);
  if (!source) throw new RelaygateError('not-verified', `${file} disappeared.`);
  // It may be of a killed run, or somebody's copy; what is written here is durable already.
  existing?.sync();
  const read = await verified(deps, begin, source, existing !== undefined);
  deps.progress.verified(read.records);
  return { source, sha256: await source.sha256(), ...read };
}

interface VerifiedArchive {
  /** Behind it. */
  state: AuditState;
  records: number;
}

interface ArchivedRange {
  file: string;
  /** The file, if it is there already, perhaps from an earlier run. */
  existing: ArchiveSource | undefined;
  isKept(record: StoredAuditRecord): boolean | Promise<boolean>;
}

/** Removes the records of an archive that is recorded. `records`: how many it has, if that is known. */
export async function finishArchive(
  deps: ArchiveDeps,
  archive: AuditArchive,
  source: ArchiveSource,
  records?: number,
): Promise<Archived> {
  // Since it was recorded, somebody may have copied it here.
  source.sync();
  const counts = { records: records ?? (await recordsIn(source)), removed: await remove(deps, archive) };
  const { state: _, lost, ...known } = archive;
  return { ...known, ...(lost && { lostToId: lost.lastId }), sizeBytes: source.sizeBytes, ...counts };
}

async function recordsIn(source: ArchiveSource): Promise<number> {
  let records = 0;
  for await (const line of source.lines()) if (!line.startsWith('{')) records += 1;
  return records;
}

/**
 * The last archive, if its file is lost and this run is to write it again; undefined if all its records were removed. Fails with
 * `archive-unfinished` if its file is still needed. `file`: the name to write; undefined if that file is there.
 */
async function lostArchive(
  store: ArchiveStore,
  last: AuditArchive,
  file: string | undefined,
): Promise<AuditArchive | undefined> {
  const [first] = await store.readAudit(0, 1);
  if (!first || first.id > last.toId) return undefined;
  const isWhole = first.id === last.fromId;
  if (isWhole && file !== undefined && `/${file}`.endsWith(`/${last.file}`)) return last;
  const { toId } = last;
  const what = `An earlier run archived the records ${last.lost ? last.lost.lastId + 1 : last.fromId} to ${toId} in ${last.file} and was cut short`;
  const lost = isWhole
    ? ' If it is lost, the same command writes it again: no record was removed yet.'
    : ` If it is lost, --without-lost ${last.file} with another --out archives what is left.`;
  const text = `${what}. Run it again with --out and that file, as it was written.${lost}`;
  throw new RelaygateError('archive-unfinished', text);
}

/** Writes the records before the first one that is kept. False, and no file, if there are none. */
async function write(
  { store, files, key, progress, wallClock }: ArchiveDeps,
  begin: AuditState,
  { file, isKept }: Pick<ArchivedRange, 'file' | 'isKept'>,
): Promise<boolean> {
  const encoder = new ArchiveEncoder(begin, key, refuse);
  const sink = files.create(file);
  try {
    let block = encoder.begin();
    let records = 0;
    for await (const record of recordsOf(store, begin.lastId)) {
      if (idBefore(record) !== encoder.lastId) throw broken(`record ${encoder.lastId + 1} of all is missing`);
      if (await isKept(record)) break;
      block += encoder.record(record);
      records += 1;
      if (block.length < BLOCK_CHARS) continue;
      sink.write(block + encoder.endBlock());
      progress.written(records);
      block = '';
    }
    if (records === 0) {
      sink.discard();
      return false;
    }
    sink.write(block + encoder.endBlock() + encoder.end(key, wallClock.epochMs()));
    sink.finish();
    return true;
  } catch (error) {
    sink.discard();
    throw error;
  }
}

/** Reads an archive and compares it with the database. */
async function verified(
  { store, key, progress }: ArchiveDeps,
  begin: AuditState,
  source: ArchiveSource,
  wasThere: boolean,
): Promise<VerifiedArchive> {
  const unsound = ({ text }: RecordFinding): never => {
    throw new BrokenArchive(`does not hold sound records: ${text}`);
  };
  const decoder = new ArchiveDecoder(key, unsound, (from) => {
    if (JSON.stringify(from) !== JSON.stringify(begin)) throw new BrokenArchive('begins elsewhere');
  });
  try {
    const stored = recordsOf(store, begin.lastId);
    let records = 0;
    for await (const text of source.lines()) {
      const read = decoder.take(text);
      if (!read) continue;
      const { value: record } = await stored.next();
      const isSame = record && record.id === read.record.id && record.hash === read.record.hash;
      if (!isSame) throw new BrokenArchive(`differs from the database at record ${read.record.id}`);
      records += 1;
      if (records % PAGE === 0) progress.verified(records);
    }
    if (!decoder.checkpoint) throw new BrokenArchive('ends too early');
    return { state: decoder.state, records };
  } catch (error) {
    if (!(error instanceof BrokenArchive)) throw error;
    const text = `${source.file} ${error.message}.`;
    if (wasThere) throw new RelaygateError('already-exists', `${text} Choose another name.`, { cause: error });
    throw new RelaygateError(
      'not-verified',
      `${text} No record was removed; remove the file. The disk may be failing.`,
      { cause: error },
    );
  }
}

async function remove({ store, pause, progress }: ArchiveDeps, { toId, state }: AuditArchive): Promise<number> {
  let removed = 0;
  for (;;) {
    const page = (await store.readAudit(0, REMOVED_AT_ONCE)).filter(({ id }) => id <= toId);
    const [first] = page;
    const last = page.at(-1);
    if (!first || !last) return removed;
    const begin = await stateBeforeFirst(store, first);
    removed += await store.removeArchived(last.id, last.id === toId ? state : begin && stateBehind(begin, page));
    progress.removed(removed);
    await pause();
  }
}

/** Where the chains stood before the oldest record; undefined if an older version removed the records before and did not keep it. */
export async function stateBeforeFirst(store: ArchiveStore, first: StoredAuditRecord): Promise<AuditState | undefined> {
  const removed = (await store.removedState()) ?? NOTHING_RECORDED;
  return removed.lastId === idBefore(first) ? removed : undefined;
}

function stateBehind(begin: AuditState, records: readonly StoredAuditRecord[]): AuditState {
  const follower = new AuditFollower(begin, undefined, () => {});
  for (const record of records) follower.take(record);
  return follower.state;
}

/** The records behind `afterId`, in the order of ids. */
export async function* recordsOf(store: ArchiveStore, afterId: number): AsyncGenerator<StoredAuditRecord, undefined> {
  for (let page = await store.readAudit(afterId, PAGE); page.length > 0; ) {
    yield* page;
    page = await store.readAudit(page.at(-1)?.id ?? 0, PAGE);
  }
  return undefined;
}

function refuse({ writer, seq, text }: RecordFinding): never {
  throw broken(`${writer} ${seq}: ${text}`);
}

function broken(what: string): RelaygateError {
  return new RelaygateError('audit-broken', `The audit is broken, so nothing was archived: ${what}. See audit verify.`);
}
