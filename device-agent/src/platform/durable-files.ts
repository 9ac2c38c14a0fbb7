import { constants } from 'node:fs';
import { access, type FileHandle, link, open, readFile, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RelaygateError } from '@relaygate/shared/relaygate-error';
import type { Files } from '../files/files';
import type { StageFile } from '../files/staged-file';
import { codeOf } from '../runtime/problem';

const FILE_MODE = 0o640;
/** chown(2): keeps the group, which is that of the folder. */
const SAME_GROUP = -1;

/** With `removable-files.ts`, the only module that writes the device's files: temp, fsync, rename, fsync folder. */
export const durableFiles: Files = {
  read: (path) => orNull('ENOENT', readFile(path, 'utf8')),

  async sync(path) {
    await syncPath(path);
    await syncPath(dirname(path));
  },

  async replace(path, text, options) {
    const staged = await stageFile(path, text, options);
    try {
      await options?.beforeCommit?.();
      await staged.commit();
    } catch (error) {
      await staged.discard().catch(() => {});
      throw error;
    }
  },

  append: (path, text, { sync = false } = {}) =>
    withFile(open(path, 'a', FILE_MODE), async (file) => {
      await file.writeFile(text);
      if (sync) await file.datasync();
    }),

  async quarantine(path) {
    for (let n = 1; ; n += 1) {
      const aside = `${path}.corrupt-${n}`;
      // Unlike rename, link never replaces what is there.
      if ((await orNull('EEXIST', link(path, aside))) === null) continue;
      await unlink(path);
      return aside;
    }
  },
};

export const stageFile: StageFile = async (path, text, options = {}) => {
  // One name for all writers of a file: a crash leaves one leftover at most, and the next write takes it over.
  const temporary = `${path}.new`;
  const discard = (): Promise<void> => rm(temporary, { force: true });
  await discard();
  const mode = options.mode ?? (await modeOf(path)) ?? FILE_MODE;
  try {
    await withFile(open(temporary, 'wx', 0o600), async (file) => {
      // The rights come before the text, and whatever the umask says.
      await file.chmod(mode);
      if (options.owner !== undefined) await file.chown(options.owner, SAME_GROUP);
      await file.writeFile(text);
      await file.sync();
    });
  } catch (error) {
    await discard().catch(() => {});
    throw error;
  }
  return {
    discard,
    async commit() {
      await rename(temporary, path);
      await syncPath(dirname(path));
    },
  };
};

export async function checkWritable(path: string): Promise<void> {
  try {
    await access(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new RelaygateError('folder-not-writable', `${path} cannot be written by this user.`, { cause: error });
  }
}

/** A file keeps the rights that somebody has given it. */
async function modeOf(path: string): Promise<number | null> {
  const former = await orNull('ENOENT', stat(path));
  return former && former.mode & 0o777;
}

/** null: the system answers with `code`. */
export async function orNull<T>(code: string, doing: Promise<T>): Promise<T | null> {
  try {
    return await doing;
  } catch (error) {
    if (codeOf(error) === code) return null;
    throw error;
  }
}

/** Resolves when a file's text is durable; for a folder, what was renamed or removed in it. */
export function syncPath(path: string): Promise<void> {
  return withFile(open(path, 'r'), (file) => file.sync());
}

/** Closes the file whatever `use` does. */
export async function withFile<T>(opened: Promise<FileHandle>, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await opened;
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}
