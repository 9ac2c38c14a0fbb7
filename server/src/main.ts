import type { ServerSettings } from '@relaygate/shared';
import { runCli } from './cli/program';
import type { Log } from './log/log';
import { operatorAccess } from './operator-access';

/** The first signal stops the server in order, a second one ends the process at once. */
const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** How long the process waits until the last log lines are read. */
const LAST_LINES_MS = 1_000;

async function start(settings: ServerSettings): Promise<number> {
  // An operator's command needs none of it, and starts in half the time.
  const { composeServer }: typeof import('./compose') = require('./compose');
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

void runCli(process.argv, { start, ...operatorAccess }).then((exitCode) => {
  // A failed output may have set it.
  process.exitCode ||= exitCode;
});
