// One build of package or image at a time in each clone: they share cache, scratch folders and dist/.
import { mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BuildError, CACHE, holdInPrograms, quietly } from './workshop.mjs';

/**
 * Runs `work` as this clone's only build; the kernel ends the lock with its process and the programs that this has run. Throws
 * `BuildError` where another one is at work.
 */
export async function asOnlyBuild(work, folder = CACHE) {
  const lock = await taken(folder);
  if (lock === null)
    throw new BuildError('Another build of package or image is under way in this clone: wait for its end, or stop it.');
  holdInPrograms(lock.fd);
  try {
    return await work();
  } finally {
    holdInPrograms(null);
    await lock.release();
  }
}

async function taken(folder) {
  // Not there before the programs are built.
  const { lockFile } = await import('@relaygate/device-agent/platform/file-lock');
  const file = join(folder, 'build.lock');
  try {
    mkdirSync(folder, { recursive: true });
    return await lockFile(file);
  } catch (error) {
    const whose = error.code === 'EACCES' ? whoseWords(file) : '';
    throw new BuildError(`${file} cannot be locked: ${error.message}.${whose}`, { cause: error });
  }
}

/** Of the nearest that is there; empty where that is this user's own. */
function whoseWords(path) {
  const found = seen(path);
  if (found === null) return path === dirname(path) ? '' : whoseWords(dirname(path));
  if (found.uid === process.getuid?.()) return '';
  const owner = quietly('id', ['-nu', '--', String(found.uid)])?.trim() ?? `user ${found.uid}`;
  return ` ${path} belongs to ${owner}: sudo chown -R "$(id -nu)" ${found.isFile() ? dirname(path) : path}`;
}

function seen(path) {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}
