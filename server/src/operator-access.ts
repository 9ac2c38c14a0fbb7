import { existsSync } from 'node:fs';
import { RelaygateError, type ServerSettings } from '@relaygate/shared';
import { systemClock, systemRandomness, systemWallClock } from '@relaygate/shared/system';
import type { Checkpoint } from './audit/checkpoint';
import type { ServerAccess } from './cli/cli-deps';
import { separateIfCopied } from './copied-database';
import { backUp } from './copies/back-up';
import { restore } from './copies/restore';
import { archiveFiles } from './files/archive-file';
import { readAuditKey } from './files/audit-key';
import { checkpointFile, readCheckpoint } from './files/checkpoint-file';
import { databaseFile } from './files/data-folder';
import { isServerRunning, refuseMigrationBesideServer } from './storage/sqlite/data-folder-lock';
import { emptyLog } from './storage/sqlite/database-file';
import { openSqliteStorage } from './storage/sqlite/sqlite-storage';

/** The writer of the audit chain for the operator's commands. */
const OPERATOR = 'cli';
/** Short enough for an archive of millions of records, long enough for a write that waits for the lock. */
const WRITE_PAUSE_MS = 20;

/** What the operator's commands do with the database and the files of a data folder, beside a server that may be running. */
export const operatorAccess: Omit<ServerAccess, 'start'> = {
  /** Small and short, so without a thread. */
  async openStore({ dataDir }, { mustExist, systemUser, showNotice }) {
    if (mustExist && !existsSync(databaseFile(dataDir))) {
      const text = `There is no database in ${dataDir}; set RELAYGATE_DATA_DIR to the data folder of the server.`;
      throw new RelaygateError('database-unusable', text);
    }
    const [file, actor] = [databaseFile(dataDir), actorOf(systemUser)];
    return openSqliteStorage({
      file,
      writerName: OPERATOR,
      actor,
      inline: true,
      migrationProgress: showNotice,
      beforeMigration: () => refuseMigrationBesideServer(dataDir),
      beforeFirstWrite() {
        const program = { writerName: OPERATOR, actor, isServerRunning: () => isServerRunning(dataDir) };
        return separateIfCopied(file, program, showNotice);
      },
    });
  },

  emptyLog: ({ dataDir }) => emptyLog(databaseFile(dataDir)),
  isServerRunning: ({ dataDir }) => isServerRunning(dataDir),

  async backUp(settings, file, progress) {
    const { dataDir } = settings;
    const evidence = { checkpoint: checkpointIfReadable(settings), key: readAuditKey(dataDir) };
    return backUp(dataDir, file, progress, evidence);
  },

  async restore(settings, { file, isNew, systemUser }, progress) {
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

  /** Fails with `file-corrupt` if `file` is given and not there, and with `secrets-unusable`. */
  auditEvidence(settings, file) {
    const key = readAuditKey(settings.dataDir);
    try {
      const checkpoint = readCheckpoint(file ?? checkpointFile(settings));
      if (file === undefined || checkpoint) return { checkpoint, isCopy: file !== undefined, key };
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
