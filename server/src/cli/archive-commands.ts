import { RelaygateError } from '@relaygate/shared';
import type { Command } from 'commander';
import { type ArchiveDeps, type Archived, archiveAudit } from '../audit/archive-audit';
import type { ArchiveSource } from '../audit/archive-store';
import { everyRow } from '../audit/every-record';
import { archiveWithoutLost } from '../audit/lost-archive';
import { auditJson } from './audit-sheet';
import type { CliDeps } from './cli-deps';
import { type CommonOptions, operatorCommand, settingsOf, withStore } from './operator-command';
import { progressLines } from './progress';
import { sheet } from './table';
import { pastTime } from './values';

export function addArchiveCommands(audit: Command, deps: CliDeps): void {
  addArchive(audit, deps);
  addExport(audit, deps);
}

/** The archives that a command line names. Fails with `bad-usage`. */
export function archivesOf(deps: Pick<CliDeps, 'archiveFiles'>, files: readonly string[] = []): ArchiveSource[] {
  return files.map((file) => {
    const source = deps.archiveFiles.open(file);
    if (!source) throw new RelaygateError('bad-usage', `There is no file ${file}.`);
    return source;
  });
}

function addArchive(audit: Command, deps: CliDeps): void {
  const past = (text: string): number => pastTime(text, deps.wallClock.epochMs());
  const example = `relaygate-server audit archive --before 365d --out /mnt/archive/audit-2026.gz
  relaygate-server audit archive --before 2026-01-01T00:00:00Z --out /mnt/archive/audit-2025.gz
  relaygate-server audit archive --without-lost audit-2025.gz --out /mnt/archive/audit-2025-rest.gz`;
  const what = 'move old records into a compressed file; a server may run, and no chain breaks';
  operatorCommand(audit, 'archive', what, example)
    .option('--before <time>', 'records before this time: 2026-01-01T00:00:00Z, or 365d for so long ago', past)
    .option('--without-lost <file>', 'give up this archive of a run that was cut short: save what it has not removed')
    .requiredOption('--out <file>', 'a new file; a run that was cut short is finished with the same one')
    .action((options: ArchiveOptions, command: Command) => {
      const { before: beforeMs, withoutLost: lost, out: file } = options;
      if ((beforeMs === undefined) === (lost === undefined)) command.error('give either --before or --without-lost');
      return withStore(deps, options, async (store) => {
        const key = deps.auditKey(settingsOf(deps, options));
        if (!key) throw new RelaygateError('secrets-unusable', NO_KEY);
        const progress = progressLines(deps);
        const archiving: ArchiveDeps = {
          store,
          files: deps.archiveFiles,
          key,
          wallClock: deps.wallClock,
          pause: () => deps.pauseBetweenWrites(),
          progress: {
            written: (records) => progress(() => `${records} records written`),
            verified: (records) => progress(() => `${records} records read back`),
            removed: (records) => progress(() => `${records} records removed from the database`),
          },
        };
        const archived =
          lost === undefined
            ? await archiveAudit(archiving, { beforeMs: beforeMs ?? 0, file })
            : await archiveWithoutLost(archiving, { lost, file });
        await deps.print(options.json ? JSON.stringify(archivedJson(archived, file)) : archivedText(archived, file));
      });
    });
}

interface ArchiveOptions extends CommonOptions {
  before?: number;
  withoutLost?: string;
  out: string;
}

const NO_KEY = 'There is no audit.key in the data folder, which an archive is signed with; start the server once.';

function archivedJson(archived: Archived | undefined, file: string): object {
  if (archived === undefined) return { archived: 0 };
  const { records, ...rest } = archived;
  return { archived: records, ...rest, file };
}

function archivedText(archived: Archived | undefined, file: string): string {
  if (archived === undefined) return 'No record is so old: nothing was archived, and no file was written.';
  const { fromId, toId, sha256, sizeBytes, records, removed, lostToId } = archived;
  const lines = [
    ['Archive', file],
    ...(lostToId === undefined ? [] : [['Lost', `${fromId} to ${lostToId}, for ever`] as const]),
    ['Records', `${lostToId === undefined ? fromId : lostToId + 1} to ${toId} (${records})`],
    ['Size', `${sizeBytes} bytes`],
    ['SHA-256', sha256],
    ['Removed', `${removed} records from the database, whose file keeps its size and uses the room again`],
  ] as const;
  return `${sheet(lines)}\n${KEEP_IT}`;
}

const KEEP_IT = `Keep the file: nothing else has these records. "audit verify --archive FILE" reads it; give all archives from one of
them on. Backups from before still hold the records.`;

function addExport(audit: Command, deps: CliDeps): void {
  const example = `relaygate-server audit export --out audit.ndjson
  relaygate-server audit export --archive audit-2025.gz --archive audit-2026.gz --out audit.ndjson`;
  const what = 'write all records to a new file, oldest first, one JSON document a line (NDJSON)';
  operatorCommand(audit, 'export', what, example)
    .requiredOption('--out <file>', 'a new file')
    .option('--archive <file...>', 'with the records of these archives: the newest ones, none missing between')
    .action((options: ExportOptions) =>
      withStore(deps, options, async (store) => {
        const { out: file } = options;
        const progress = progressLines(deps);
        const sink = deps.archiveFiles.createPlain(file);
        let records = 0;
        try {
          for await (const rows of everyRow(store, archivesOf(deps, options.archive))) {
            sink.write(rows.map((row) => `${JSON.stringify(auditJson(row))}\n`).join(''));
            records += rows.length;
            progress(() => `${records} records written`);
          }
          sink.finish();
        } catch (error) {
          sink.discard();
          throw error;
        }
        await deps.print(options.json ? JSON.stringify({ file, records }) : `${records} records written to ${file}.`);
      }),
    );
}

interface ExportOptions extends CommonOptions {
  out: string;
  archive?: string[];
}
