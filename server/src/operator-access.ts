import { existsSync, statSync } from 'node:fs';
import { RelaygateError, type ServerSettings } from '@relaygate/shared';
import { systemClock, systemRandomness, systemWallClock } from '@relaygate/shared/system';
import type { Checkpoint } from './audit/checkpoint';
import type { ServerAccess } from './cli/cli-deps';
import { separateIfCopied, separateIfElsewhere } from './copied-database';
import { backUp } from './copies/back-up';
import { migrateStorage } from './copies/migrate-storage';
import { openMigrationSource } from './copies/migration-source';
import { openMigrationTarget } from './copies/migration-target';
import { restore } from './copies/restore';
import { archiveFiles } from './files/archive-file';
import { readAuditKey } from './files/audit-key';
import { checkpointFile, readCheckpoint } from './files/checkpoint-file';
import { databaseFile } from './files/data-folder';
import { refuseMigrated } from './files/migrated-storage';
import { isServerOn, openPostgresStorage } from './storage/postgresql/postgres-storage';
import { isServerRunning, lockForMigration } from './storage/sqlite/data-folder-lock';
import { emptyLog } from './storage/sqlite/database-file';
import { openSqliteStorage } from './storage/sqlite/sqlite-storage';

/** The writer of the audit chain for the operator's commands. */
const OPERATOR = 'cli';
/** Short enough for an archive of millions of records, long enough for a write that waits for the lock. */
const WRITE_PAUSE_MS = 20;

/** What the operator's commands do with the database and the files of a data folder, beside a server that may be running. */
export const operatorAccess: Omit<ServerAccess, 'start'> = {
  /** Small and short, so without a thread. */
  async openStore({ dataDir, databaseUrl }, { mustExist, systemUser, showNotice }) {
    if (databaseUrl !== undefined) {
      const program = { writerName: OPERATOR, actor: actorOf(systemUser) };
      return openPostgresStorage({
        ...program,
        url: databaseUrl,
        mustExist,
        migrationProgress: showNotice,
        beforeWrites: (session) => separateIfElsewhere(session, program, showNotice),
      });
    }
    if (mustExist && !existsSync(databaseFile(dataDir))) {
      const text = `There is no database in ${dataDir}; set RELAYGATE_DATA_DIR, or RELAYGATE_DATABASE_URL, as the server has it.`;
      throw new RelaygateError('database-unusable', text);
    }
    refuseMigrated(dataDir);
    const [file, actor] = [databaseFile(dataDir), actorOf(systemUser)];
    let inode: number | null = null;
    const storage = await openSqliteStorage({
      file,
      writerName: OPERATOR,
      actor,
      inline: true,
      migrationProgress: showNotice,
      beforeMigration: () => lockForMigration(dataDir),
      // A command may run for minutes: what it writes into a database that was replaced meanwhile is lost.
      begun() {
        refuseMigrated(dataDir);
        if (inode === null || inodeOf(file) === inode) return;
        throw new RelaygateError('database-unusable', `${file} was replaced while this command ran: run it again.`);
      },
      beforeFirstWrite() {
        const program = { writerName: OPERATOR, actor, isServerRunning: () => isServerRunning(dataDir) };
        return separateIfCopied(file, program, showNotice);
      },
    });
    inode = inodeOf(file);
    return storage;
  },

  keptBehind({ dataDir, databaseUrl }) {
    if (databaseUrl !== undefined) return IN_POSTGRESQL;
    return emptyLog(databaseFile(dataDir)) ? undefined : IN_THE_LOG;
  },

  async isServerRunning({ dataDir, databaseUrl }) {
    if (databaseUrl === undefined) return isServerRunning(dataDir);
    return isServerOn(databaseUrl, systemClock);
  },

  async backUp(settings, file, progress) {
    const { dataDir } = settings;
    refusePostgresql(settings, 'pg_dump --format=custom, or pg_basebackup with an archive of the log');
    refuseMigrated(dataDir);
    const evidence = { checkpoint: checkpointIfReadable(settings), key: readAuditKey(dataDir) };
    return backUp(dataDir, file, progress, evidence);
  },

  async restore(settings, { file, isNew, systemUser }, progress) {
    refusePostgresql(settings, 'pg_restore into a new database while no server runs');
    refuseMigrated(settings.dataDir);
    return restore(file, {
      dataDir: settings.dataDir,
      writerName: OPERATOR,
      actor: actorOf(systemUser),
      atMs: systemWallClock.epochMs(),
      progress,
      isNew,
      randomness: systemRandomness,
      checkpointFile: checkpointFile(settings),
    });
  },

  migrateStorage: (settings, systemUser, progress) =>
    untilStopped(async (signal) => {
      const { databaseUrl: url, ...ofSource } = settings;
      const { dataDir } = ofSource;
      if (url === undefined) throw new RelaygateError('bad-setting', NO_DATABASE_URL);
      const source = openMigrationSource(dataDir, progress.said);
      try {
        const target = await openMigrationTarget({ url, clock: systemClock, randomness: systemRandomness });
        try {
          return await migrateStorage({
            dataDir,
            source,
            target,
            evidence: operatorAccess.auditEvidence(ofSource, undefined),
            writerName: OPERATOR,
            actor: actorOf(systemUser),
            atMs: systemWallClock.epochMs(),
            progress,
            signal,
          });
        } finally {
          await target.close();
        }
      } finally {
        source.close();
      }
    }),

  /** Fails with `file-corrupt` if `file` is given and not there, and with `secrets-unusable`. */
  auditEvidence(settings, file) {
    const { dataDir, databaseUrl } = settings;
    const key = readAuditKey(dataDir);
    try {
      const checkpoint = readCheckpoint(file ?? checkpointFile(settings));
      if (file === undefined || checkpoint)
        return { checkpoint, mayBeOld: file !== undefined || databaseUrl !== undefined, key };
    } catch (error) {
      if (!(error instanceof RelaygateError)) throw error;
      const damaged = `${error.message.replace(/\.$/, '')}: move it away, or name another one with --checkpoint`;
      return { key, damaged };
    }
    throw new RelaygateError('file-corrupt', `There is no file ${file}.`);
  },

  /** Fails with `secrets-unusable`. */
  auditKey: ({ dataDir }) => readAuditKey(dataDir),
  archiveFiles,
  pauseBetweenWrites: () => new Promise((resolve) => void systemClock.after(WRITE_PAUSE_MS, resolve)),
};

const NO_DATABASE_URL =
  'Set RELAYGATE_DATABASE_URL to an empty PostgreSQL database, and RELAYGATE_DATA_DIR to the data folder that goes there.';

/** Asked to stop once, the work ends by itself; asked again, the process ends. */
async function untilStopped<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const stopped = new AbortController();
  const stop = (): void => stopped.abort();
  for (const signal of STOP_SIGNALS) process.once(signal, stop);
  try {
    return await work(stopped.signal);
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, stop);
  }
}

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Fails with `not-for-postgresql`. */
function refusePostgresql({ databaseUrl }: ServerSettings, instead: string): void {
  if (databaseUrl === undefined) return;
  const text = `RELAYGATE_DATABASE_URL names a PostgreSQL database; use ${instead} (server/STORAGE.md, "PostgreSQL").`;
  throw new RelaygateError('not-for-postgresql', text);
}

const IN_THE_LOG = 'relaygate.db-wal keeps it until the server stops, because another program is reading the database.';
const IN_POSTGRESQL =
  'PostgreSQL keeps it for some time: in its log, in archives of that, and in pages that are not written again yet.';

/** null: there is no such file. */
function inodeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? null;
}

/** Undefined if it is damaged, which must keep nobody from making a backup. */
function checkpointIfReadable(settings: ServerSettings): Checkpoint | undefined {
  try {
    return readCheckpoint(checkpointFile(settings));
  } catch {
    return undefined;
  }
}

function actorOf(systemUser: string): string {
  return `${OPERATOR} as ${systemUser}`;
}
