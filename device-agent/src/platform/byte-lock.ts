import { closeSync, constants, openSync } from 'node:fs';
import { type FileLock, held } from './file-lock';
import { lockingCall } from './locking-call';

/** From linux/fcntl.h; the same on every processor that Node runs on but MIPS. */
const F_OFD_SETLK = 37;
const F_WRLCK = 1;
/** struct flock on 64 bits: type, whence, start, length, process. */
const FLOCK = { sizeBytes: 32, type: 0, start: 8, length: 16 };

/** A lock (see file-lock.ts) of one byte of a file that its users may write: fcntl(2), "open file description locks". */
export async function lockByte(path: string, at: number): Promise<FileLock | null> {
  const fd = openSync(path, constants.O_WRONLY);
  try {
    const lock = Buffer.alloc(FLOCK.sizeBytes);
    lock.writeInt16LE(F_WRLCK, FLOCK.type);
    lock.writeBigInt64LE(BigInt(at), FLOCK.start);
    lock.writeBigInt64LE(1n, FLOCK.length);
    // Variadic in C; on Linux the third argument is passed like any other.
    const fcntl = lockingCall('int fcntl(int fd, int command, _Inout_ uint8_t *lock)');
    return held(fd, fcntl(fd, F_OFD_SETLK, lock));
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}
