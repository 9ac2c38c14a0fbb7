import { realpath } from 'node:fs/promises';
import { RelaygateError } from '@relaygate/shared';
import { type NamedLock, takeLock } from './named-lock';

/** Makes this the only `owner` on the data folder, whatever its run folder is. Rejects with `already-running`. */
export async function lockDataFolder(dataDir: string, owner: string): Promise<NamedLock> {
  const lock = await takeLock(`${owner} of ${await realpath(dataDir)}`);
  if (lock) return lock;
  throw new RelaygateError('already-running', `Another ${owner} works on ${dataDir}; stop it first.`);
}
