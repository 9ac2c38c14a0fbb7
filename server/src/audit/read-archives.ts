import type { KeyObject } from 'node:crypto';
import { RelaygateError } from '@relaygate/shared';
import type { ArchiveSource, AuditArchive } from './archive-store';
import { ArchiveDecoder, type AuditState, BrokenArchive, headsOf, NOTHING_RECORDED } from './archive-text';
import type { ReadRecord, RecordFinding } from './chain-reader';
import { macVerdict } from './checkpoint';

export interface ArchivesToRead {
  /** The archives that the database remembers. */
  known: readonly AuditArchive[];
  given: readonly ArchiveSource[];
  key: KeyObject | undefined;
  /** True: none may be missing between the given ones and the database. */
  isWhole: boolean;
  found(finding: RecordFinding): void;
  /** What is wrong with an archive as a whole. */
  altered(text: string): void;
}

/**
 * Reads the given archives in the order of their records. Each is compared with what the database remembers. Fails with
 * `bad-usage` if one of them is missing in between and `isWhole` is set.
 */
export async function* readArchives(reading: ArchivesToRead): AsyncGenerator<ReadRecord> {
  const { known, altered } = reading;
  const wanted = await matched(reading);
  for (const { source, archive, isSame } of wanted) {
    if (!isSame) altered(`${source.file} was altered: its SHA-256 is not the recorded one`);
    try {
      yield* recordsOf(source, archive, beginOf(known, archive), reading);
    } catch (error) {
      if (!(error instanceof BrokenArchive)) throw error;
      altered(`${source.file} ${error.message}`);
    }
  }
}

/** Where the chains stood behind the archive before this one. */
export function stateBefore(known: readonly AuditArchive[], archive: AuditArchive): AuditState {
  return known[known.indexOf(archive) - 1]?.state ?? NOTHING_RECORDED;
}

/** Where the records of its file begin. */
function beginOf(known: readonly AuditArchive[], archive: AuditArchive): AuditState {
  return archive.lost ?? stateBefore(known, archive);
}

interface Match {
  source: ArchiveSource;
  archive: AuditArchive;
  isSame: boolean;
}

/** In the order of their records. */
async function matched({ known, given, isWhole, altered }: ArchivesToRead): Promise<Match[]> {
  const found = new Map<AuditArchive, Match>();
  for (const source of given) {
    const sha256 = await source.sha256();
    const same = known.find((archive) => archive.sha256 === sha256);
    const archive = same ?? (await begunBy(source, known));
    if (archive) found.set(archive, { source, archive, isSame: same !== undefined });
    else altered(`${source.file} is no archive of this audit`);
  }
  const first = known.findIndex((archive) => found.has(archive));
  if (first < 0) return [];
  return known.slice(first).flatMap((archive) => {
    const match = found.get(archive);
    if (match) return match;
    if (!isWhole) return [];
    const { fromId, toId, file } = archive;
    const text = `The records ${fromId} to ${toId} are missing between: give their archive as well (it was called ${file}).`;
    throw new RelaygateError('bad-usage', text);
  });
}

/** Which archive an altered file was, found by where it begins. */
async function begunBy(source: ArchiveSource, known: readonly AuditArchive[]): Promise<AuditArchive | undefined> {
  let lastId = 0;
  const decoder = new ArchiveDecoder(
    undefined,
    () => {},
    (from) => {
      lastId = from.lastId;
    },
  );
  try {
    for await (const line of source.lines()) {
      decoder.take(line);
      return known.find((archive) => beginOf(known, archive).lastId === lastId);
    }
  } catch (error) {
    if (!(error instanceof BrokenArchive)) throw error;
  }
  // Its first block cannot be read: its name is all that is left.
  return known.find(({ file }) => file === source.file);
}

async function* recordsOf(
  source: ArchiveSource,
  archive: AuditArchive,
  begin: AuditState,
  { key, found }: ArchivesToRead,
): AsyncGenerator<ReadRecord> {
  const decoder = new ArchiveDecoder(key, found, (from) => {
    if (from.lastId !== begin.lastId || headsOf(from) !== headsOf(begin))
      throw new BrokenArchive('does not begin where the one before it ends');
  });
  for await (const line of source.lines()) {
    const read = decoder.take(line);
    if (read) yield read;
  }
  const { checkpoint } = decoder;
  if (!checkpoint) throw new BrokenArchive('ends too early');
  if (key && macVerdict(key, checkpoint) === 'bad') throw new BrokenArchive('ends with a forged checkpoint');
  if (headsOf(decoder.state) !== headsOf(archive.state))
    throw new BrokenArchive('holds other records than were archived');
}
