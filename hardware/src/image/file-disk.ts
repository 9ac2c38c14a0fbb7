/** A file, or a whole card, as a disk. */
import type { FileHandle } from 'node:fs/promises';
import { RelaygateError } from '@relaygate/shared';
import type { Disk } from './disk';

export function fileDisk(file: FileHandle, sizeBytes: number): Disk {
  return {
    sizeBytes,
    async read(offset, length) {
      const buffer = Buffer.alloc(length);
      const { bytesRead } = await file.read(buffer, 0, length, offset);
      if (bytesRead < length)
        throw new RelaygateError('image-unusable', `The image ends at ${offset + bytesRead} bytes.`);
      return buffer;
    },
    async write(offset, bytes) {
      await file.write(bytes, 0, bytes.length, offset);
    },
  };
}
