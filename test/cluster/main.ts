/** The cluster: several servers with one database, and simulated devices, on this machine. `launch.mjs` builds and starts it. */
import { Supervisor } from '../support/processes/supervisor';
import { progress, result, untilStopped } from '../support/processes/until-stopped';
import { PostgresServer } from '../support/server/postgres-server';
import { type ClusterSize, startCluster } from './cluster';
import { checkCluster } from './cluster-check';
import { ClusterFolder } from './cluster-folder';
import { missingPackages } from './missing-packages';
import { reportForPeople, reportForPrograms } from './report';

export interface ClusterOptions extends ClusterSize {
  readonly check: boolean;
  readonly json: boolean;
}

/** Runs until Ctrl-C, or until the check is through. Gives the exit code. */
export async function runCluster(options: ClusterOptions): Promise<number> {
  const missing = missingPackages();
  if (missing !== undefined) {
    progress(missing);
    return 1;
  }
  const folder = new ClusterFolder();
  const database = await PostgresServer.made();
  const programs = new Supervisor((pids) => folder.writePids(pids), progress);
  try {
    // A check that was broken off has shown nothing.
    return await untilStopped(programs, options.check ? 1 : 0, async (stopped) => {
      const startedMs = performance.now();
      const cluster = await startCluster(options, folder, programs, database, progress);
      progress(`Started after ${((performance.now() - startedMs) / 1000).toFixed(1)} s.`);
      if (options.json) result(reportForPrograms(cluster, folder));
      if (options.check) {
        const say = options.json ? progress : result;
        await checkCluster(cluster, say);
        say('The check is through: all well.');
        return 0;
      }
      if (!options.json) result(reportForPeople(cluster, folder));
      return stopped;
    });
  } finally {
    await database.remove();
    folder.remove();
  }
}
