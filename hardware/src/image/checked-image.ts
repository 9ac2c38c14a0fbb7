/** A look through a whole image before anything is lost for its sake. */
import { Progress, type ProgressDeps } from '../progress';
import type { Disk } from './disk';
import { type ImageSource, readThrough } from './image-source';
import { bootPartitionOf } from './partition-table';

/** How much of the beginning is kept: the partition table, and more. */
const HEAD_BYTES = 4096;

/** Reads and unpacks all of it. Resolves with its real size; throws `image-unusable` for one that boots no device. */
export async function checkedImageBytes(source: ImageSource, deps: ProgressDeps): Promise<number> {
  let head = Buffer.alloc(0);
  const sizeBytes = await readThrough(source, new Progress(deps, 'checking the image', source.sizeBytes), (bytes) => {
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, bytes.subarray(0, HEAD_BYTES - head.length)]);
  });
  await bootPartitionOf(headOf(head, sizeBytes));
  return sizeBytes;
}

function headOf(head: Buffer, sizeBytes: number): Disk {
  return {
    sizeBytes,
    read: async (offset, length) => head.subarray(offset, offset + length),
    write: () => Promise.reject(new Error('an image is only looked at')),
  };
}
