import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { codeOf } from '../foreign-error';

/**
 * The file `half` becomes `file`, durable: whenever the program or the power ends, this name has the whole new file or what
 * it had before, which without `replaces` is nothing. After a crash `half` may be there still.
 * Without `replaces`, fails with EEXIST if there is such a file already; if it fails otherwise, there is none. With
 * `replaces`, the name may have the new file already when it fails.
 */
export function nameDurably(half: string, file: string, { replaces }: { replaces: boolean }): void {
  sync(half);
  if (replaces) {
    renameSync(half, file);
    return sync(folderOf(file));
  }
  // Unlike a rename, a link fails if another program has made this file meanwhile.
  linkSync(half, file);
  try {
    rmSync(half);
    sync(folderOf(file));
  } catch (error) {
    removeIfPossible(file);
    throw error;
  }
}

/** Makes a file that is there durable, under its name. */
export function syncNamed(file: string): void {
  sync(file);
  sync(folderOf(file));
}

/** Replaces the content of `file`: whole or not at all. For one writer at a time. */
export function writeDurably(file: string, text: string, mode: number): void {
  refuseUnreplaceable(file);
  const half = `${file}.half`;
  writeHalf(half, text, mode);
  try {
    nameDurably(half, file, { replaces: true });
  } catch (error) {
    removeIfPossible(half);
    throw error;
  }
}

/** Whether `writeDurably` can work there: fails as it would, and changes nothing. */
export function tryToWrite(file: string): void {
  refuseUnreplaceable(file);
  const half = `${file}.half`;
  writeHalf(half, '');
  rmSync(half);
}

/**
 * Throws if a new file with this name would not be what people expect. Somebody who may write a folder may replace what another
 * user has made there. A rename replaces a link, not the file that it leads to. It would also replace a device by a plain file.
 */
function refuseUnreplaceable(file: string): void {
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (!there) return;
  if (there.isDirectory()) throw new Error(`EISDIR: a folder has this name, rename '${file}'`);
  if (there.isSymbolicLink()) throw new Error(`ELOOP: it is a link; name the file itself, rename '${file}'`);
  if (!there.isFile()) throw new Error(`ENOTSUP: it is no plain file, rename '${file}'`);
  if (isMounted(file)) throw new Error(`EXDEV: it is mounted by itself; mount its folder instead, rename '${file}'`);
  const user = process.geteuid?.();
  const folder = statSync(folderOf(file));
  if ((folder.mode & STICKY) === 0 || user === 0 || user === there.uid || user === folder.uid) return;
  throw new Error(`EPERM: another user's file in a folder with the sticky bit, rename '${file}'`);
}

/** As containers do with a single file: until it is unmounted, no other file can get its name. */
function isMounted(file: string): boolean {
  const escaped = (char: string): string => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`;
  const name = realpathSync(file).replace(/[ \t\n\\]/g, escaped);
  return mounts().some((line) => line.split(' ')[MOUNT_POINT] === name);
}

/** proc_pid_mountinfo(5). Other systems than Linux have none: there the first write fails. */
function mounts(): string[] {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  } catch {
    return [];
  }
}

const MOUNT_POINT = 4;
const STICKY = 0o1000;

function writeHalf(half: string, text: string, mode?: number): void {
  const handle = openHalf(half, mode);
  try {
    writeFileSync(handle, text);
  } catch (error) {
    removeIfPossible(half);
    throw error;
  } finally {
    closeSync(handle);
  }
}

/**
 * Makes the new file `half` and opens it to write. What has this name is removed and never opened: a writer who was killed may
 * have left it, or whoever else may write the folder has put a link to another file there.
 */
export function openHalf(half: string, mode?: number): number {
  try {
    unlinkSync(half);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  return openSync(half, 'wx', mode);
}

/** Makes the content of a file durable, or the names in a folder. */
export function sync(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Removes what a failure has left. It never fails itself, because the first failure is the one to report. */
export function removeIfPossible(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // It stays.
  }
}

function folderOf(file: string): string {
  return dirname(resolve(file));
}
