/** A copy of an image with the settings of a site on its boot partition. */
import { type FileHandle, open, rename, rm, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { withFile } from '@relaygate/device-agent/platform/durable-files';
import { codeOf, problemOf } from '@relaygate/device-agent/runtime/problem';
import { RelaygateError } from '@relaygate/shared';
import { SITE_FILE } from '@relaygate/shared/site-settings';
import { Progress, type ProgressDeps, sizeWords } from '../progress';
import { bootPartitionIn } from './disk';
import { FatVolume } from './fat-volume';
import { type Copied, copyThrough, type ImageSource } from './image-source';
import { digestOf } from './read-back';

/** Beside the image until it is whole: what has this name is worth nothing. */
export const PART = '.part';

export interface PrepareImageDeps {
  source: ImageSource;
  out: string;
  /** What comes onto the boot partition. */
  files: readonly { name: string; text: string }[];
  now: Date;
  progress: ProgressDeps;
  /** What is to stand beside the image before it does. */
  beside(): Promise<void>;
}

/** The image stands at `out` when it resolves, read back and as it should be; else nothing stands there. */
export async function prepareImage(deps: PrepareImageDeps): Promise<void> {
  const { source, out, files, now, progress, beside } = deps;
  await refuseTooLittleSpace(source, out, 1);
  const part = `${out}${PART}`;
  try {
    await withFile(open(part, 'w+', 0o600), async (file) => {
      const copying = new Progress(progress, 'copying', source.sizeBytes);
      const copied = await copyThrough(source, copying, async (bytes, at) => {
        await file.write(bytes, 0, bytes.length, at);
      });
      await file.sync();
      await verify(file, copied, progress);
      const volume = await FatVolume.open(await bootPartitionIn(file, copied.sizeBytes));
      for (const { name, text } of files) await volume.put(name, Buffer.from(text), now);
      await file.sync();
      for (const { name, text } of files) if ((await textIn(file, name)) !== text) throw notVerified(name);
    });
    progress.signal?.throwIfAborted();
    await beside();
    await rename(part, out);
  } catch (error) {
    await rm(part, { force: true });
    throw codeOf(error) === 'ENOSPC' ? noSpace(out, error) : error;
  }
}

/** The settings on an image's boot partition; null: there are none, or it is no image of ours. */
export async function siteTextOfImage(path: string): Promise<string | null> {
  try {
    return await withFile(open(path, 'r'), (file) => textIn(file, SITE_FILE));
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || error instanceof RelaygateError) return null;
    throw error;
  }
}

async function verify(file: FileHandle, { sizeBytes, digest }: Copied, deps: ProgressDeps): Promise<void> {
  const there = await digestOf(file, sizeBytes, new Progress(deps, 'reading back', sizeBytes));
  if (there !== digest) throw notVerified('the image');
}

async function textIn(file: FileHandle, name: string): Promise<string | null> {
  const volume = await FatVolume.open(await bootPartitionIn(file, (await file.stat()).size));
  return (await volume.read(name))?.toString() ?? null;
}

/** `count`: how many images are added to the folder. Throws `no-space`; a packed image takes at least what its end says. */
export async function refuseTooLittleSpace({ leastBytes }: ImageSource, out: string, count: number): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(out)).catch((error: unknown) => {
    throw new RelaygateError('folder-not-writable', `${dirname(out)} cannot be used: ${problemOf(error)}.`, {
      cause: error,
    });
  });
  const images = count === 1 ? 'the image takes' : `${count} images take`;
  if (bavail * bsize < count * leastBytes)
    throw noSpace(out, `it has ${sizeWords(bavail * bsize)}, ${images} ${sizeWords(count * leastBytes)}`);
}

function noSpace(out: string, why: unknown): RelaygateError {
  const words = `There is too little room in ${dirname(out)}: ${problemOf(why)}.`;
  return new RelaygateError('no-space', words, { cause: why });
}

function notVerified(what: string): RelaygateError {
  return new RelaygateError('not-verified', `What was read back is not what was written (${what}): try another disk.`);
}
