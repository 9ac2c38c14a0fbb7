import { statfs } from 'node:fs/promises';

/** What a program without special rights may still write to the folder's disk. */
export async function freeBytes(dataDir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dataDir);
  return bavail * bsize;
}
