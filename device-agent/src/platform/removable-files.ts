import { link, readFile, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { RemovableFiles } from '../files/files';
import { codeOf } from '../runtime/problem';
import { durableFiles, orNull, syncPath } from './durable-files';

/** Files of programs that remove some, which the guard does not. */
export const removableFiles: RemovableFiles = {
  ...durableFiles,

  async remove(path, isIt) {
    if (isIt) await removeIf(path, isIt);
    else await rm(path, { force: true });
    await syncPath(dirname(path));
  },
};

/** Looks at the file under another name, because whoever puts one there does not wait for this program. */
async function removeIf(path: string, isIt: (text: string) => boolean): Promise<void> {
  const aside = asideOf(path);
  if ((await orNull('ENOENT', rename(path, aside))) === null) return;
  if (isIt(await readFile(aside, 'utf8'))) await unlink(aside);
  else await putBackAside(path);
}

/** Puts back what a crash has left beside `path` while it was looked at; where there is a newer one, that counts. */
export async function putBackAside(path: string): Promise<void> {
  const aside = asideOf(path);
  if ((await orNull('ENOENT', stat(aside))) === null) return;
  try {
    await link(aside, path);
  } catch (error) {
    const code = codeOf(error);
    // The system gives somebody else's file no second name: protected_hardlinks in proc_sys_fs(5).
    if (code === 'EPERM' && (await orNull('ENOENT', stat(path))) === null) return rename(aside, path);
    if (code !== 'EPERM' && code !== 'EEXIST') throw error;
  }
  await unlink(aside);
}

function asideOf(path: string): string {
  return `${path}.old`;
}
