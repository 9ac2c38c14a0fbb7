import type { ServerSettings } from '@relaygate/shared';
import { runCli } from './cli/program';
import {
  auditEvidence,
  auditKey,
  backUpDatabase,
  composeServer,
  openOperatorStore,
  pauseBetweenWrites,
  restoreDatabase,
} from './compose';
import { archiveFiles } from './files/archive-file';
import { databaseFile } from './files/data-folder';
import type { Log } from './log';
import { isServerRunning } from './storage/sqlite/data-folder-lock';
import { emptyLog } from './storage/sqlite/database-file';

/** The first signal stops the server in order, a second one ends the process at once. */
const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** How long the process waits until the last log lines are read. */
const LAST_LINES_MS = 1_000;

async function start(settings: ServerSettings): Promise<number> {
  const server = await composeServer(settings);
  // Before the first line is printed, because a script that reads it may send SIGTERM at once.
  const stopped = stopSignal(server.log);
  console.log(`listening on ${server.url}`);
  console.log(`applications use ${settings.publicUrl ?? server.url}/api`);
  await stopped;
  await server.stop();
  // Queued log lines keep the process alive; it ends nevertheless if their reader hangs.
  setTimeout(() => process.exit(0), LAST_LINES_MS).unref();
  return 0;
}

function stopSignal(log: Log): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    for (const signal of STOP_SIGNALS) {
      process.on(signal, () => {
        if (asked) process.exit(1);
        asked = true;
        log.info({ signal }, 'stopping');
        resolve();
      });
    }
  });
}

void runCli(process.argv, {
  start,
  openStore: openOperatorStore,
  emptyLog: (settings) => emptyLog(databaseFile(settings.dataDir)),
  isServerRunning: (settings) => isServerRunning(settings.dataDir),
  backUp: backUpDatabase,
  restore: restoreDatabase,
  auditEvidence,
  auditKey,
  archiveFiles,
  pauseBetweenWrites,
}).then((exitCode) => {
  process.exitCode = exitCode;
});
