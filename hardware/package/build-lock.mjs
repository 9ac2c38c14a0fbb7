// One build of package or image at a time in each clone: they share cache, scratch folders and dist/.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { BuildError, CACHE } from './workshop.mjs';

/** Runs `work` as this clone's only build; the kernel ends the lock with its process. Throws `BuildError` where another one is at work. */
export async function asOnlyBuild(work, folder = CACHE) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'build.lock');
  const lock = await taken(file);
  if (lock === null)
    throw new BuildError('Another build of package or image is under way in this clone: wait for its end, or stop it.');
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

async function taken(file) {
  // Not there before the programs are built.
  const { lockFile } = await import('@relaygate/device-agent/system/file-lock');
  try {
    return await lockFile(file);
  } catch (error) {
    throw new BuildError(`${file} cannot be locked (${error.message}): another user has built here.`, { cause: error });
  }
}
