import { realpath } from 'node:fs/promises';
import { RelaygateError } from '@relaygate/shared';
import type { Log } from '../program/log';
import { codeOf, problemOf } from '../program/problem';
import { type FileLock, lockFile } from './file-lock';

export type DataOwner = 'relaygate-guard' | 'relaygate-agent';

/** A disk that takes no new file. */
const DISK_PROBLEMS: readonly string[] = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'];

/**
 * Makes this the only `owner` on the data folder, whatever its run folder is. Rejects with `already-running`, or with
 * `folder-not-writable` where the lock is somebody else's.
 */
export async function lockDataFolder(dataDir: string, owner: DataOwner, log: Pick<Log, 'warn'>): Promise<FileLock> {
  const path = `${await realpath(dataDir)}/${owner}.lock`;
  try {
    const lock = await lockFile(path);
    if (lock) return lock;
  } catch (error) {
    // I4: a guard that does not start for a bad card would leave relays on. The lock of its socket still keeps others out.
    if (!DISK_PROBLEMS.includes(codeOf(error))) {
      const why = `${path} cannot be locked (${problemOf(error)}); give it to the user of ${owner}, or remove it while none runs.`;
      throw new RelaygateError('folder-not-writable', why, { cause: error });
    }
    log.warn(
      `${path} cannot be made (${problemOf(error)}): another ${owner} with another run folder would go unnoticed`,
    );
    return { release: async () => {} };
  }
  throw new RelaygateError('already-running', `Another ${owner} works on ${dataDir}; stop it first.`);
}
