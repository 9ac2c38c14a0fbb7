/** The demo: a server and a simulated device on this machine, for a first look. `launch.mjs` builds and starts it. */
import { Supervisor } from '../support/processes/supervisor';
import { messageOf, progress, result, untilStopped } from '../support/processes/until-stopped';
import { DemoFolder } from './demo-folder';
import { startInstallation } from './installation';
import { reportForPeople, reportForPrograms } from './report';
import { roundTrip } from './round-trip';

export interface DemoOptions {
  readonly check: boolean;
  readonly json: boolean;
  /** null: a new temporary folder. */
  readonly dataDir: string | null;
  /** 0: a free one. */
  readonly port: number;
}

/** Runs until Ctrl-C, or until the check is through. Gives the exit code. */
export async function runDemo(options: DemoOptions): Promise<number> {
  let folder: DemoFolder;
  try {
    folder = new DemoFolder(options.dataDir);
  } catch (error) {
    progress(messageOf(error));
    return 1;
  }
  const programs = new Supervisor((pids) => folder.writePids(pids), progress);
  try {
    // A check that was broken off has shown nothing.
    return await untilStopped(programs, options.check ? 1 : 0, (stopped) => work(options, folder, programs, stopped));
  } finally {
    folder.close();
  }
}

async function work(
  options: DemoOptions,
  folder: DemoFolder,
  programs: Supervisor,
  stopped: Promise<number>,
): Promise<number> {
  const startedAtMs = performance.now();
  const demo = await startInstallation(folder, programs, options.port, progress);
  progress(`Started after ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s.`);
  if (options.json) result(reportForPrograms(demo, folder, programs.pids));
  if (options.check) {
    const say = options.json ? progress : result;
    await roundTrip(demo, folder, say);
    say('The check is through: all well.');
    return 0;
  }
  if (!options.json) result(reportForPeople(demo, folder));
  return stopped;
}
