/** A look through a whole image before anything is lost for its sake. */
import { Progress, type ProgressDeps } from '../progress';
import { type ImageSource, readThrough } from './image-source';
import { bootPartitionOf, SECTOR_BYTES } from './partition-table';

/** Reads and unpacks all of it. Resolves with its real size; throws `image-unusable` for one that boots no device. */
export async function checkedImageBytes(source: ImageSource, deps: ProgressDeps): Promise<number> {
  let head = Buffer.alloc(0);
  const sizeBytes = await readThrough(source, new Progress(deps, 'checking the image', source.sizeBytes), (bytes) => {
    if (head.length < SECTOR_BYTES) head = Buffer.concat([head, bytes.subarray(0, SECTOR_BYTES - head.length)]);
  });
  bootPartitionOf(head, sizeBytes);
  return sizeBytes;
}
