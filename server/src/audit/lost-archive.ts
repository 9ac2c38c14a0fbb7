import { RelaygateError } from '@relaygate/shared';
import { type ArchiveDeps, type Archived, archiveRange, finishArchive, recordsOf } from './archive-audit';
import type { AuditArchive } from './archive-store';
import { type AuditState, headsOf, timeOf } from './archive-text';
import { detailsOf, idStep, seqBefore } from './audit-record';
import type { StoredAuditRecord } from './audit-store';

/**
 * The file of the last archive is lost, and some of its records were removed already. What is left of it goes into `file`, which takes
 * its place; it is recorded that the others are lost (`audit-lost`). A run that is cut short is finished by running it again.
 * Fails like `archiveAudit`, and with `bad-usage` if `lost` is not the name of such an archive.
 */
export async function archiveWithoutLost(
  deps: ArchiveDeps,
  { lost, file }: { lost: string; file: string },
): Promise<Archived> {
  const { store, files } = deps;
  const last = (await store.auditArchives()).at(-1);
  const existing = files.open(file);
  if (last?.lostToId !== undefined && existing && (await existing.sha256()) === last.sha256)
    return finishArchive(deps, last, existing);
  const archive = await lostArchive(deps, last, lost);
  const [first] = await store.readAudit(0, 1);
  if (!first || first.id > archive.toId) throw refused(`All records of ${lost} were removed. ${GO_ON}`);
  const lostToId = first.id - 1;
  if (lostToId < archive.fromId) throw refused(`No record of ${lost} was removed yet: ${WRITE_AGAIN}`);
  const begin = await stateBefore(deps, archive, first);
  const isKept = (record: StoredAuditRecord): boolean => record.id > archive.toId;
  const written = await archiveRange(deps, begin, { file, existing, isKept });
  if (!written) throw new RelaygateError('already-exists', 'Another program removed these records meanwhile.');
  const { source, sha256, state, records } = written;
  if (headsOf(state) !== headsOf(archive.state))
    throw new RelaygateError('audit-broken', `The records that are left of ${lost} are not those that were archived.`);
  const kept = { ...archive, file: source.file, sha256, lostToId };
  await store.recordLoss(kept, archive, deps.wallClock.epochMs());
  return finishArchive(deps, kept, source, records);
}

const GO_ON = 'It keeps nothing from being archived: use --before and another --out.';
const WRITE_AGAIN = 'use --before, and --out with that file, which is written again.';

async function lostArchive(
  { files }: ArchiveDeps,
  last: AuditArchive | undefined,
  lost: string,
): Promise<AuditArchive> {
  if (!last) throw refused('There is no archive yet.');
  if (!`/${lost}`.endsWith(`/${last.file}`))
    throw refused(`The last archive is ${last.file}; only that one can be waited for.`);
  const found = await files.open(lost)?.sha256();
  if (found === last.sha256) throw refused(`${lost} is there: give it to --out, and leave --without-lost out.`);
  return last;
}

function refused(text: string): RelaygateError {
  return new RelaygateError('bad-usage', text);
}

/** Where the chains stood before `first`, as far as the records from it on tell. */
async function stateBefore(
  { store }: ArchiveDeps,
  { state, toId }: AuditArchive,
  first: StoredAuditRecord,
): Promise<AuditState> {
  const firsts = new Map<string | number, StoredAuditRecord>();
  const added = new Set<unknown>();
  let { clients, products } = state;
  for await (const record of recordsOf(store, first.id - 1)) {
    if (record.id > toId) break;
    if (!firsts.has(record.writer)) firsts.set(record.writer, record);
    if (record.kind === 'writer-added') added.add(detailsOf(record.body).writer);
    if (record.kind === 'client-created') clients -= 1;
    if (record.kind === 'product-created') products -= 1;
  }
  const before = <Chain extends AuditState['old'][number]>(
    chain: Chain,
    next: StoredAuditRecord | undefined,
  ): Chain => {
    if (!next) return chain;
    const seq = next.format === 1 ? next.seq - 1 : seqBefore(next);
    const jumps = chain.jumps.filter(({ toSeq }) => toSeq <= seq);
    if (next.format === 1) return { ...chain, seq, hash: next.previousHash, jumps };
    return { ...chain, seq, hash: '', jumps, nextHash: next.hash };
  };
  return {
    lastId: first.id - (first.format === 2 ? idStep(first) : 1),
    lastMs: timeOf(first),
    clients,
    products,
    old: state.old.map((chain) => before(chain, firsts.get(chain.name))),
    chains: state.chains
      .filter(({ writer }) => !added.has(writer))
      .map((chain) => before(chain, firsts.get(chain.writer))),
  };
}
