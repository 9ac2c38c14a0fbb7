/** Writes an image to a card and reads it back from the card itself. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { withFile } from '@relaygate/device-agent/platform/durable-files';
import { codeOf, problemOf } from '@relaygate/device-agent/runtime/problem';
import { RelaygateError } from '@relaygate/shared';
import { copyThrough, type ImageSource } from '../image/image-source';
import { digestOf } from '../image/read-back';
import { Progress, type ProgressDeps } from '../progress';

/** Between two waits for the card itself. */
const SYNC_EVERY_BYTES = 64 * 1024 * 1024;

export interface WriteCardDeps {
  source: ImageSource;
  path: string;
  /** Makes the machine forget what it has of the device, so that reading it back reads the card. */
  forgetBuffers(path: string): Promise<void>;
  progress: ProgressDeps;
}

/** Resolves with the bytes written once they were read back. A card that was cut short boots nothing; it can be written again. */
export async function writeCard({ source, path, forgetBuffers, progress }: WriteCardDeps): Promise<number> {
  const written = await onCard(path, 'write', async (card) => {
    const writing = new Progress(progress, 'writing', source.sizeBytes);
    const done = await copyThrough(source, writing, async (bytes, at) => {
      await writeAll(card, bytes, at);
      // Else the bar would show how fast memory is.
      if ((at + bytes.length) % SYNC_EVERY_BYTES < bytes.length) await card.datasync();
    });
    await card.sync();
    return done;
  });
  await forgetBuffers(path);
  const digest = await onCard(path, 'read', (card) =>
    digestOf(card, written.sizeBytes, new Progress(progress, 'reading back', written.sizeBytes)),
  );
  if (digest === written.digest) return written.sizeBytes;
  throw new RelaygateError(
    'not-verified',
    `What was read back from ${path} is not what was written: take another card.`,
  );
}

async function onCard<T>(path: string, way: 'write' | 'read', work: (card: FileHandle) => Promise<T>): Promise<T> {
  try {
    // O_EXCL: the kernel refuses a device that is mounted or otherwise in use.
    const flags = way === 'write' ? constants.O_WRONLY | constants.O_EXCL : constants.O_RDONLY;
    return await withFile(open(path, flags), work);
  } catch (error) {
    throw cardProblem(path, error);
  }
}

function cardProblem(path: string, error: unknown): unknown {
  const words: Readonly<Record<string, string>> = {
    EBUSY: 'it is in use',
    EACCES: 'it is not for this user: use sudo',
    ENOSPC: 'it is smaller than the image',
    EROFS: 'it is read-only',
    EIO: 'it gives errors: take another card, or another reader',
  };
  const why = words[codeOf(error)];
  if (why === undefined) return error;
  return new RelaygateError('card-unusable', `${path} cannot be written or read: ${why} (${problemOf(error)}).`, {
    cause: error,
  });
}

/** A device takes less than it is given where it ends. */
async function writeAll(card: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await card.write(bytes, done, bytes.length - done, at + done);
    if (bytesWritten === 0) throw Object.assign(new Error('no byte more'), { code: 'ENOSPC' });
    done += bytesWritten;
  }
}
