import type { Command } from 'commander';
import { headText } from '../audit/checkpoint';
import type { MigratedDatabase, MigrationProgress } from '../checked-copy';
import type { CliDeps } from './cli-deps';
import { type CommonOptions, operatorCommand, settingsOf } from './operator-command';
import { progressLines } from './progress';
import { sheet } from './table';

export function addMigrateCommand(program: Command, deps: CliDeps): void {
  const what = "copy the data folder's database into an empty PostgreSQL database; the server must not run";
  const example = `RELAYGATE_DATABASE_URL=postgresql:///relaygate relaygate-server migrate-storage
  A run that was stopped or killed goes on when the same command is given again.`;
  operatorCommand(program, 'migrate-storage', what, example).action(async (options: CommonOptions) => {
    const settings = settingsOf(deps, options);
    const migrated = await deps.migrateStorage(settings, deps.systemUser(), progressOf(deps));
    const { dataDir } = settings;
    await deps.print(options.json ? JSON.stringify(json(dataDir, migrated)) : text(dataDir, migrated));
  });
}

function json(dataDir: string, { database, rows, audit }: MigratedDatabase): object {
  return { dataDir, database, rows, records: audit.records, heads: audit.heads };
}

function text(dataDir: string, { database, rows, audit }: MigratedDatabase): string {
  const lines = [
    ['Data folder', dataDir],
    ['Database', database],
    ['Rows', `${Object.values(rows).reduce((sum, one) => sum + one, 0)}, all read back`],
    ['Audit', `${audit.records} records, all sound`],
    ...audit.heads.map((head) => ['Head', headText(head)] as const),
  ] as const;
  return `${sheet(lines)}\n${AFTERWARDS}`;
}

const AFTERWARDS = `Start the server with RELAYGATE_DATABASE_URL and the same data folder, which keeps the keys, the secrets and the
checkpoints. relaygate.db is as it was; nothing uses it any more. Back PostgreSQL up with its own programs.`;

function progressOf(deps: CliDeps): MigrationProgress {
  const progress = progressLines(deps);
  return {
    copied: (table, rows, total) => progress(() => `${table}: ${rows} of ${total} rows copied`),
    readBack: (table, rows, total) => progress(() => `${table}: ${rows} of ${total} rows read back`),
    verified: (records) => progress(() => `${records} records of the audit verified`),
    said: (sentence) => deps.printError(sentence),
  };
}
