/** What a file or a card really holds. */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Progress } from '../progress';

/** A multiple of the largest blocks that cards have. */
const CHUNK_BYTES = 4 * 1024 * 1024;

/** SHA-256 of the first `sizeBytes`, or of what there is where it ends before. */
export async function digestOf(file: FileHandle, sizeBytes: number, progress: Progress): Promise<string> {
  const hash = createHash('sha256');
  const buffer = Buffer.alloc(CHUNK_BYTES);
  for (let at = 0; at < sizeBytes; ) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(CHUNK_BYTES, sizeBytes - at), at);
    if (bytesRead === 0) break;
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
    progress.at(at);
  }
  progress.end();
  return hash.digest('hex');
}
