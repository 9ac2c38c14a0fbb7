import { RelaygateError } from '@relaygate/shared';
import type { Command } from 'commander';
import { brokenAudit } from '../audit/audit-report';
import { headText } from '../audit/checkpoint';
import type { CheckedCopy, CopyProgress } from '../checked-copy';
import type { CliDeps } from './cli-deps';
import { type CommonOptions, operatorCommand, settingsOf } from './operator-command';
import { progressLines } from './progress';
import { sheet } from './table';

export function addCopyCommands(program: Command, deps: CliDeps): void {
  const backup = 'write a verified copy of the database to a new file, beside a running server';
  operatorCommand(
    program,
    'backup <file>',
    backup,
    'relaygate-server backup /mnt/backup/relaygate-2026-03-01.db',
  ).action(async (file: string, options: CommonOptions) => {
    const copy = await deps.backUp(settingsOf(deps, options), file, progressOf(deps));
    await print(deps, options, { file, ...copyJson(copy) }, [['Backup', file], ...copyLines(copy)], NOT_IN_A_BACKUP);
    const broken = brokenAudit(copy.audit);
    if (broken === undefined) return;
    throw new RelaygateError('audit-broken', `${file} was written and is whole, but the audit in it is ${broken}.`);
  });

  const restore = 'replace the database by a backup; the old database stays beside it; the server must not run';
  operatorCommand(program, 'restore <file>', restore, 'relaygate-server restore /mnt/backup/relaygate-2026-03-01.db')
    .option('--new', 'for a new machine: there must be no database yet')
    .action(async (file: string, options: CommonOptions & { new?: true }) => {
      const settings = settingsOf(deps, options);
      const wanted = { file, isNew: options.new ?? false, systemUser: deps.systemUser() };
      const { replacedFile, checkpointFault, ...copy } = await deps.restore(settings, wanted, progressOf(deps));
      const { dataDir } = settings;
      const lines = [
        ['Restored', file],
        ['Data folder', dataDir],
        ['Old database', replacedFile ?? '-'],
        ...copyLines(copy),
      ] as const;
      if (checkpointFault !== null) deps.printError(checkpointFault);
      const json = {
        file,
        dataDir,
        keptAside: replacedFile,
        checkpointKept: checkpointFault === null,
        ...copyJson(copy),
      };
      await print(deps, options, json, lines, AFTER_A_RESTORE);
    });
}

const NOT_IN_A_BACKUP =
  'secrets.json is not in the backup. Without it every session ends and applications log in again.';
const AFTER_A_RESTORE = `What was done since the backup is undone. Repeat every deactivation, revocation and rotation since then.
Client keys, product keys and devices are those of the backup. Applications that renewed their tokens since then must
log in again; with another or no secrets.json, all of them.`;

function print(
  deps: CliDeps,
  options: CommonOptions,
  json: object,
  lines: readonly (readonly [name: string, value: string])[],
  note: string,
): Promise<void> {
  return deps.print(options.json ? JSON.stringify(json) : `${sheet(lines)}\n${note}`);
}

function copyJson({ sizeBytes, databaseVersion, audit }: CheckedCopy): object {
  return { sizeBytes, databaseVersion, auditSound: audit.faults === 0, heads: audit.heads };
}

function copyLines({ sizeBytes, databaseVersion, audit }: CheckedCopy): (readonly [string, string])[] {
  const brokenText = brokenAudit(audit);
  return [
    ['Size', `${sizeBytes} bytes`],
    ['Database version', String(databaseVersion)],
    ['Audit', `${audit.records} records, ${audit.faults === 0 ? 'all sound' : `${audit.faults} faults`}`],
    ...(brokenText === undefined ? [] : [['First fault', brokenText] as const]),
    ...audit.heads.map((head) => ['Head', headText(head)] as const),
  ];
}

function progressOf(deps: CliDeps): CopyProgress {
  const progress = progressLines(deps);
  return {
    copied: (percent) => progress(() => `${percent} % copied`),
    verified: (records) => progress(() => `${records} records of its audit verified`),
    migrated: (text) => deps.printError(text),
  };
}
