import { closeSync, constants, fchmod, fchown, fstatSync, open, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { codeOf } from '../runtime/problem';

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
const F_OFD_SETLK = 37;
const F_WRLCK = 1;
/** struct flock on 64 bits: type, whence, start, length, process. */
const FLOCK = { sizeBytes: 32, type: 0, start: 8, length: 16 };

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
    return held(fd, libc().flock(fd));
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** The same for one place of a file that is there and that its users may write: fcntl(2), "open file description locks". */
export async function lockByte(path: string, at: number): Promise<FileLock | null> {
  const fd = openSync(path, constants.O_WRONLY);
  try {
    return held(fd, libc().lockRange(fd, at));
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function held(fd: number, isMine: boolean): WholeFileLock | null {
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

interface Libc {
  /** False: another one has it. Both throw the system's error. */
  flock(fd: number): boolean;
  lockRange(fd: number, at: number): boolean;
}

let loaded: Libc | null = null;

/** Node has no locks of files, hence koffi, which is loaded with the first one. */
function libc(): Libc {
  loaded ??= loadLibc();
  return loaded;
}

function loadLibc(): Libc {
  const koffi: typeof import('koffi') = require('koffi');
  const codes: Record<string, number> = koffi.os.errno;
  const library = koffi.load(null);
  const flock = library.func('int flock(int fd, int operation)');
  // Variadic in C; on Linux the third argument is passed like any other.
  const fcntl = library.func('int fcntl(int fd, int command, _Inout_ uint8_t *lock)');
  const isDone = (result: number): boolean => {
    if (result === 0) return true;
    const errno = koffi.errno();
    if (errno === codes.EAGAIN || errno === codes.EACCES) return false;
    const code = Object.keys(codes).find((name) => codes[name] === errno) ?? `errno ${errno}`;
    throw Object.assign(new Error(`${code}: the lock cannot be taken`), { code, errno });
  };
  return {
    flock: (fd) => isDone(flock(fd, LOCK_EX | LOCK_NB)),
    lockRange(fd, at) {
      const lock = Buffer.alloc(FLOCK.sizeBytes);
      lock.writeInt16LE(F_WRLCK, FLOCK.type);
      lock.writeBigInt64LE(BigInt(at), FLOCK.start);
      lock.writeBigInt64LE(1n, FLOCK.length);
      return isDone(fcntl(fd, F_OFD_SETLK, lock));
    },
  };
}
