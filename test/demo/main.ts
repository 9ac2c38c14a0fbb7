/** The demo: a server and a simulated device on this machine, for a first look. `launch.mjs` builds and starts it. */
import { DemoFolder } from './demo-folder';
import { startInstallation } from './installation';
import { reportForPeople, reportForPrograms } from './report';
import { roundTrip } from './round-trip';
import { Supervisor } from './supervisor';

export interface DemoOptions {
  readonly check: boolean;
  readonly json: boolean;
  /** null: a new temporary folder. */
  readonly dataDir: string | null;
  /** 0: a free one. */
  readonly port: number;
}

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const SAME_CTRL_C_MS = 1_000;

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
  process.once('exit', () => programs.killAll());
  // A check that was broken off has shown nothing.
  const stopped = stopSignal(() => void programs.stop(true)).then(() => (options.check ? 1 : 0));
  try {
    return await Promise.race([stopped, work(options, folder, programs, stopped)]);
  } catch (error) {
    progress(messageOf(error));
    return 1;
  } finally {
    await programs.stop();
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

/** Resolves at the first signal; `onImpatience` runs at one that comes later than what one Ctrl-C gives. */
function stopSignal(onImpatience: () => void): Promise<void> {
  return new Promise((resolve) => {
    let askedAtMs: number | null = null;
    const stop = (): void => {
      if (askedAtMs === null) progress('Stopping ...');
      // npm passes on the signal that the terminal has sent to us already.
      else if (performance.now() - askedAtMs > SAME_CTRL_C_MS) onImpatience();
      askedAtMs ??= performance.now();
      resolve();
    };
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
  });
}

const result = (line: string): void => void process.stdout.write(`${line}\n`);
const progress = (line: string): void => void process.stderr.write(`${line}\n`);
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
