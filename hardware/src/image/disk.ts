import type { FileHandle } from 'node:fs/promises';
import { RelaygateError } from '@relaygate/shared';
import { bootPartitionOf, SECTOR_BYTES } from './partition-table';

/** Bytes at places: a partition. */
export interface Disk {
  sizeBytes: number;
  /** Rejects where the disk ends before. */
  read(offset: number, length: number): Promise<Buffer>;
  write(offset: number, bytes: Uint8Array): Promise<void>;
}

/** The boot partition of an image; what leaves it is refused. Throws `image-unusable`. */
export async function bootPartitionIn(image: FileHandle, imageBytes: number): Promise<Disk> {
  const { buffer: head } = await image.read(Buffer.alloc(SECTOR_BYTES), 0, SECTOR_BYTES, 0);
  const { startBytes, sizeBytes } = bootPartitionOf(head, imageBytes);
  const placeOf = (offset: number, length: number): number => {
    if (offset < 0 || offset + length > sizeBytes) throw new RangeError(`bytes at ${offset} are outside the partition`);
    return startBytes + offset;
  };
  return {
    sizeBytes,
    async read(offset, length) {
      const at = placeOf(offset, length);
      const { buffer, bytesRead } = await image.read(Buffer.alloc(length), 0, length, at);
      if (bytesRead < length) throw new RelaygateError('image-unusable', `The image ends at ${at + bytesRead} bytes.`);
      return buffer;
    },
    async write(offset, bytes) {
      await image.write(bytes, 0, bytes.length, placeOf(offset, bytes.length));
    },
  };
}
