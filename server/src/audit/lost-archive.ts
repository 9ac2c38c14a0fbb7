import { RelaygateError } from '@relaygate/shared';
import {
  type ArchiveDeps,
  type Archived,
  archiveRange,
  finishArchive,
  refuseAdded,
  stateBeforeFirst,
} from './archive-audit';
import type { AuditArchive } from './archive-store';
import { headsOf } from './archive-text';
import type { StoredAuditRecord } from './audit-store';
import { stateBefore } from './read-archives';

/**
 * For a lost file of the last archive, if some of its records were removed already. Writes the records that are left into `file`,
 * which takes its place, and records that the others are lost (`audit-lost`). If a run is cut short, the same run again finishes it.
 * Fails like `archiveAudit`, and with `bad-usage` if `lost` is not the name of such an archive.
 */
export async function archiveWithoutLost(
  deps: ArchiveDeps,
  { lost, file }: { lost: string; file: string },
): Promise<Archived> {
  const { store, files } = deps;
  const archives = await store.auditArchives();
  const last = archives.at(-1);
  await refuseAdded(store, last);
  const existing = files.open(file);
  if (last?.lost && existing && (await existing.sha256()) === last.sha256) return finishArchive(deps, last, existing);
  const given = await lostArchive(deps, last, lost);
  const [first] = await store.readAudit(0, 1);
  if (!first || first.id > given.toId) throw refused(`Nothing is left of ${lost} that could be saved. ${GO_ON}`);
  if (first.id === given.fromId) throw refused(`No record of ${lost} was removed yet: ${WRITE_AGAIN}`);
  const begin = await stateBeforeFirst(store, first);
  if (!begin) throw refused(`Nobody can check what is left of ${lost}: ${OLDER}`);
  const isKept = (record: StoredAuditRecord): boolean => record.id > given.toId;
  const written = await archiveRange(deps, begin, { file, existing, isKept });
  if (!written) throw new RelaygateError('already-exists', 'Another program removed these records meanwhile.');
  const { source, sha256, state, records } = written;
  if (headsOf(state) !== headsOf(given.state))
    throw new RelaygateError('audit-broken', `The records that are left of ${lost} are not those that were archived.`);
  const kept = { ...given, file: source.file, sha256, lost: begin };
  const before = given.lost ?? stateBefore(archives, given);
  await store.recordLoss(kept, given, before, deps.wallClock.epochMs());
  return finishArchive(deps, kept, source, records);
}

const GO_ON =
  'All its records were removed, and are lost if there is no copy of it. Later ones can be archived: use --before, and --out with a new file.';
const WRITE_AGAIN = 'use --before, and --out with that file, which is written again.';
const OLDER =
  'an older version removed the others and did not keep where the chains stood. Look for a copy of the file, or restore an earlier backup.';

async function lostArchive(
  { files }: ArchiveDeps,
  last: AuditArchive | undefined,
  lost: string,
): Promise<AuditArchive> {
  if (!last) throw refused('There is no archive yet, so none can be lost: use --before.');
  if (!`/${lost}`.endsWith(`/${last.file}`))
    throw refused(
      `Only the last archive, ${last.file}, can be given up. An older one keeps nothing from being archived: use --before.`,
    );
  const found = await files.open(lost)?.sha256();
  if (found === last.sha256)
    throw refused(`${lost} is there: finish it with --before and --out with that file; leave --without-lost out.`);
  return last;
}

function refused(text: string): RelaygateError {
  return new RelaygateError('bad-usage', text);
}
