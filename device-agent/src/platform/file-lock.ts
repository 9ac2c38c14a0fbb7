import { closeSync, constants, fchmod, fchown, fstatSync, open, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { codeOf } from '../runtime/problem';
import { lockingCall } from './locking-call';

export interface FileLock {
  release(): Promise<void>;
}

export interface WholeFileLock extends FileLock {
  /** The file descriptor. A program that inherits it has the lock too. */
  readonly fd: number;
}

/** From linux/fcntl.h; the same on every processor that Node runs on but MIPS. */
const LOCK_EX = 2;
const LOCK_NB = 4;

/** File descriptors and not handles, which Node closes when nobody refers to them any more. */
const [opened, modeGiven, ownerGiven] = [promisify(open), promisify(fchmod), promisify(fchown)];
/** flock needs only reading, so it works on a card that takes no writes. A pipe of that name does not block. */
const TO_LOCK = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * A lock that one process of this machine has at a time: flock(2) on an empty file, which is made and stays. The kernel
 * ends it with its process, however that ends. Only those who may write the file's folder can take it. null: another
 * process has it. Rejects with the system's error.
 */
export async function lockFile(path: string): Promise<WholeFileLock | null> {
  const fd = await openOrMake(path);
  try {
    await shareWithFolder(fd, dirname(path));
    return held(fd, lockingCall('int flock(int fd, int operation)')(fd, LOCK_EX | LOCK_NB));
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** `isMine`: the lock of the file that was opened as `fd` was got; else the file is closed. */
export function held(fd: number, isMine: boolean): WholeFileLock | null {
  if (!isMine) {
    closeSync(fd);
    return null;
  }
  let isHeld = true;
  return {
    fd,
    async release() {
      // By then the number may be that of another file.
      if (isHeld) closeSync(fd);
      isHeld = false;
    },
  };
}

/**
 * Opens a file that is there without O_CREAT, which waits for everyone who changes the folder, even for somebody whom a
 * hanging disk delays.
 */
async function openOrMake(path: string): Promise<number> {
  try {
    return await opened(path, TO_LOCK);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return opened(path, TO_LOCK | constants.O_CREAT, 0o600);
  }
}

/** Gives the file to the folder's owner: if root starts a program by hand, the service must be able to open it later. */
async function shareWithFolder(fd: number, folder: string): Promise<void> {
  const file = fstatSync(fd);
  const around = statSync(folder);
  if (!file.isFile()) throw Object.assign(new Error(`${folder} holds something else of this name`), { code: 'EEXIST' });
  const own = process.geteuid?.();
  if (own !== file.uid) return;
  const mode = (around.mode & 0o020) === 0 ? 0o600 : 0o640;
  try {
    if ((file.mode & 0o777) !== mode) await modeGiven(fd, mode);
    if (own === 0 && (file.uid !== around.uid || file.gid !== around.gid)) await ownerGiven(fd, around.uid, around.gid);
  } catch (error) {
    // On a read-only disk it stays as an earlier program has left it.
    if (codeOf(error) !== 'EROFS') throw error;
  }
}
