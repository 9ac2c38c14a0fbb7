import { realpath } from 'node:fs/promises';
import { SAVE_PATIENCE_MS } from '@relaygate/shared/device-limits';
import { RelaygateError } from '@relaygate/shared/relaygate-error';
import { systemClock } from '@relaygate/shared/system-clock';
import { inTime } from '../runtime/in-time';
import type { Log } from '../runtime/log';
import { codeOf, problemOf } from '../runtime/problem';
import { type FileLock, lockFile } from './file-lock';

export type DataOwner = 'relaygate-guard' | 'relaygate-agent';

/** The errors of a disk that takes no new file. */
const DISK_PROBLEMS: readonly string[] = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'];

/**
 * Makes this the only `owner` on the data folder, whatever its run folder is. Rejects with `already-running`, or with
 * `folder-not-writable` if there is no such folder or the lock is somebody else's. Waits for a disk that hangs no longer
 * than SAVE_PATIENCE_MS.
 */
export async function lockDataFolder(
  dataDir: string,
  owner: DataOwner,
  log: Pick<Log, 'warn'>,
  take: (path: string) => Promise<FileLock | null> = lockFile,
): Promise<FileLock> {
  const path = `${await realFolder(dataDir)}/${owner}.lock`;
  // I4: if a bad card kept a guard from starting, relays would stay on. The lock of its socket still keeps others out.
  const unlocked = (problem: string): void =>
    log.warn(`${path} cannot be made (${problem}): another ${owner} with another run folder would go unnoticed`);
  const taking = take(path);
  try {
    const lock = await inTime(systemClock, SAVE_PATIENCE_MS, taking, 'late');
    if (lock === 'late') {
      unlocked('the disk does not answer');
      // The lock is held once the disk takes it.
      return { release: async () => void taking.then((late) => late?.release()).catch(() => {}) };
    }
    if (lock) return lock;
  } catch (error) {
    if (!DISK_PROBLEMS.includes(codeOf(error))) {
      const why = `${path} cannot be locked (${problemOf(error)}); give it to the user of ${owner}, or remove it while none runs.`;
      throw new RelaygateError('folder-not-writable', why, { cause: error });
    }
    unlocked(problemOf(error));
    return { release: async () => {} };
  }
  throw new RelaygateError('already-running', `Another ${owner} works on ${dataDir}; stop it first.`);
}

async function realFolder(dataDir: string): Promise<string> {
  try {
    return await realpath(dataDir);
  } catch (error) {
    const why = `${dataDir} cannot be found (${problemOf(error)}); make it, or name another one with --data.`;
    throw new RelaygateError('folder-not-writable', why, { cause: error });
  }
}
