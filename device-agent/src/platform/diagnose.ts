import { execFile } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { dirname } from 'node:path';
import type { Folders } from '../runtime/folders';
import { refused } from '../runtime/refused';

const LIMIT_MS = 30_000;
const MAX_BYTES = 1024 * 1024;

/** Runs `relayctl doctor --json` as a process of its own, after everybody else, for LIMIT_MS at most. */
export function diagnoseBy<Diagnosis>(relayctl: string, folders: Folders): (language: string) => Promise<Diagnosis> {
  const runDir = dirname(folders.agentSocket);
  // If guard and agent have a folder each, these are the default ones.
  const run = dirname(folders.guardSocket) === runDir ? ['--run', runDir] : [];
  const args = [relayctl, 'doctor', '--json', '--data', folders.dataDir, ...run];
  return (language) =>
    new Promise((resolve, reject) => {
      const options = { timeout: LIMIT_MS, maxBuffer: MAX_BYTES, killSignal: 'SIGKILL' } as const;
      const child = execFile(process.execPath, [...args, '--language', language], options, (error, stdout) => {
        // It ends with 1 if something is wrong with the device: what it has printed counts.
        try {
          resolve(JSON.parse(stdout));
        } catch {
          const because = { cause: error };
          if (error?.killed) reject(refused('refused', 'doctor-too-slow', { seconds: LIMIT_MS / 1_000 }, because));
          else reject(refused('refused', 'doctor-not-run', {}, because));
        }
      });
      giveWay(child.pid);
    });
}

function giveWay(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already.
  }
}
