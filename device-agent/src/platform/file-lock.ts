import { closeSync, constants, fchmod, fchown, fstatSync, open, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { codeOf } from '../runtime/problem';
import { lockingCall } from './locking-call';

export interface FileLock {
  release(): Promise<void>;
}

export interface WholeFileLock extends FileLock {
  /** The number of the file. Who inherits it, as a program that is run, has the lock too. */
  readonly fd: number;
}

/** From linux/fcntl.h; the same on every processor that Node runs on but MIPS. */
const LOCK_EX = 2;
const LOCK_NB = 4;

/** Numbers of files and not handles, which Node closes when nobody refers to them any more. */
const [opened, modeGiven, ownerGiven] = [promisify(open), promisify(fchmod), promisify(fchown)];
/** flock asks for no more than reading, and so it works on a card that can no longer be written. A pipe of that name holds nobody up. */
const TO_LOCK = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * A lock that one process of this machine has at a time: flock(2) on an empty file, which is made and stays. The kernel ends
 * it with its process, however that ends. Whoever may write the file's folder may take it, and nobody else. Null: another
 * one has it. Rejects with the system's error.
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

/** `isMine`: the lock of the file that was opened as `fd`; else that is closed. */
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

/** What is there is opened without O_CREAT, which waits for everyone who changes the folder, also for one whom a hanging disk holds up. */
async function openOrMake(path: string): Promise<number> {
  try {
    return await opened(path, TO_LOCK);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return opened(path, TO_LOCK | constants.O_CREAT, 0o600);
  }
}

/** Root, who starts a program by hand, shuts nobody out who works there else. */
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
    // Then it is as an earlier program has left it.
    if (codeOf(error) !== 'EROFS') throw error;
  }
}
