/** An image as it was downloaded: plain, or packed by gzip. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { withFile } from '@relaygate/device-agent/platform/durable-files';
import { codeOf, problemOf } from '@relaygate/device-agent/runtime/problem';
import { RelaygateError } from '@relaygate/shared';
import type { Progress } from '../progress';

const CHUNK_BYTES = 1024 * 1024;
const MAGIC_BYTES = 6;
/** What a packed file begins with, and what to do about it. */
const PACKED: readonly { magic: string; is: string; unpack: string }[] = [
  { magic: 'fd377a585a00', is: 'xz', unpack: '"xz -dk FILE" (Windows: 7-Zip)' },
  { magic: '504b0304', is: 'zip', unpack: '"unzip FILE" (Windows: "Extract all")' },
  { magic: '28b52ffd', is: 'zstd', unpack: '"zstd -dk FILE"' },
  { magic: '425a68', is: 'bzip2', unpack: '"bzip2 -dk FILE"' },
];
const GZIP = '1f8b';
/** ISIZE, the last member of a file of gzip (RFC 1952): what it holds, modulo 2^32. */
const SIZE_BYTES = 4;

export interface ImageSource {
  /** Of the file, packed or not. */
  sizeBytes: number;
  isPacked: boolean;
  /** Of the image: its size, or what the end of a packed one says of it, which counts to 4 GiB only. */
  leastBytes: number;
  /** The image itself; `read`: bytes of the file that were read so far. */
  stream(): { chunks: Readable; read(): number };
}

/** `digest`: SHA-256. */
export interface Copied {
  sizeBytes: number;
  digest: string;
}

/** Throws `image-unusable` for a file that is missing, empty, or packed in another way. */
export async function imageSource(path: string): Promise<ImageSource> {
  const { sizeBytes, magic, end } = await lookAt(path);
  if (sizeBytes === 0) throw new RelaygateError('image-unusable', `${path} is empty.`);
  const packed = PACKED.find((one) => magic.startsWith(one.magic));
  if (packed) {
    const what = `${path} is packed by ${packed.is}`;
    throw new RelaygateError(
      'image-unusable',
      `${what}: unpack it first with ${packed.unpack}, then give the .img file.`,
    );
  }
  const isPacked = magic.startsWith(GZIP);
  return {
    sizeBytes,
    isPacked,
    leastBytes: isPacked ? end : sizeBytes,
    stream() {
      const file = createReadStream(path, { highWaterMark: CHUNK_BYTES });
      const read = (): number => file.bytesRead;
      if (!isPacked) return { chunks: file, read };
      const chunks = createGunzip({ chunkSize: CHUNK_BYTES });
      // Its error is the stream's that is read.
      pipeline(file, chunks, () => {});
      return { chunks, read };
    },
  };
}

/** Goes through the whole image; `take` gets each piece, with its place. Resolves with the image's real size. */
export async function readThrough(
  source: ImageSource,
  progress: Progress,
  take: (bytes: Buffer, at: number) => Promise<void> | void,
): Promise<number> {
  const { chunks, read } = source.stream();
  let sizeBytes = 0;
  try {
    for await (const chunk of chunks) {
      const bytes: Buffer = chunk;
      await take(bytes, sizeBytes);
      sizeBytes += bytes.length;
      progress.at(read());
    }
  } catch (error) {
    throw imageProblem(source, error);
  }
  progress.end();
  return sizeBytes;
}

/** The same for a copy: what it must hold when it is read back. */
export async function copyThrough(
  source: ImageSource,
  progress: Progress,
  write: (bytes: Buffer, at: number) => Promise<void>,
): Promise<Copied> {
  const hash = createHash('sha256');
  const sizeBytes = await readThrough(source, progress, (bytes, at) => {
    hash.update(bytes);
    return write(bytes, at);
  });
  return { sizeBytes, digest: hash.digest('hex') };
}

/** A packed image is damaged, or the system has a reason of its own. */
function imageProblem({ isPacked }: ImageSource, error: unknown): unknown {
  if (!isPacked || !/^(Z_|ERR_)/.test(codeOf(error))) return error;
  return new RelaygateError('image-unusable', `The image cannot be unpacked: ${problemOf(error)}.`, { cause: error });
}

async function lookAt(path: string): Promise<{ sizeBytes: number; magic: string; end: number }> {
  try {
    return await withFile(open(path, 'r'), async (file) => {
      const stats = await file.stat();
      if (!stats.isFile()) throw new Error('it is no file');
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MAGIC_BYTES), 0, MAGIC_BYTES, 0);
      const tail = Buffer.alloc(SIZE_BYTES);
      await file.read(tail, 0, SIZE_BYTES, Math.max(0, stats.size - SIZE_BYTES));
      return { sizeBytes: stats.size, magic: buffer.subarray(0, bytesRead).toString('hex'), end: tail.readUInt32LE() };
    });
  } catch (error) {
    throw new RelaygateError('image-unusable', `${path} cannot be read: ${problemOf(error)}.`, { cause: error });
  }
}
