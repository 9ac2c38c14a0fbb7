import type { ServerSettings } from '@relaygate/shared';
import { runCli } from './cli/program';
import { backUpDatabase, composeServer, openOperatorStore, restoreDatabase } from './compose';
import type { Log } from './log';
import { isServerRunning } from './storage/sqlite/data-folder-lock';

/** SIGTERM and SIGINT end the server in order; a second one ends it at once. */
const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** How long the last lines of the log wait for their reader. */
const LAST_LINES_MS = 1_000;

async function start(settings: ServerSettings): Promise<number> {
  const server = await composeServer(settings);
  // Before it is said that it runs: whoever reads that may stop it at once.
  const stopped = stopSignal(server.log);
  console.log(`listening on ${server.url}`);
  console.log(`applications use ${settings.publicUrl ?? server.url}/api`);
  await stopped;
  await server.stop();
  // What is still queued for the reader of the log keeps a process alive; one that hangs must not.
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
  isServerRunning: (settings) => isServerRunning(settings.dataDir),
  backUp: backUpDatabase,
  restore: restoreDatabase,
}).then((exitCode) => {
  process.exitCode = exitCode;
});
