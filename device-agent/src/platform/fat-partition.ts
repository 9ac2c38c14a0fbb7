/** The boot partition of a card, mounted somewhere. FAT knows no owners and no links, so the device's own files are written elsewhere. */
import { execFile } from 'node:child_process';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { RelaygateError } from '@relaygate/shared';
import { Mutex } from 'async-mutex';
import { problemOf } from '../runtime/problem';
import { orNull, syncPath, withFile } from './durable-files';

const REMOUNT_MS = 20_000;

export interface FatPartitionOptions {
  /** Where it is mounted. */
  folder: string;
  /** Makes a partition that is mounted read-only writable while something is written. Needs root. */
  remount: boolean;
}

export function fatPartition({ folder, remount }: FatPartitionOptions) {
  const pathOf = (name: string): string => join(folder, name);

  /** One write at a time: the first one to end would make it read-only under the other. */
  const mutex = new Mutex();
  function writable(write: () => Promise<void>): Promise<void> {
    return mutex.runExclusive(async () => {
      if (!remount || !(await isReadOnly(folder))) return write();
      await mountAs('rw', folder);
      try {
        await write();
      } finally {
        await mountAs('ro', folder);
      }
    });
  }

  return {
    read: async (name: string): Promise<string | null> => orNull('ENOENT', readFile(pathOf(name), 'utf8')),

    replace: (name: string, text: string): Promise<void> =>
      writable(async () => {
        const temporary = pathOf(`${name}.new`);
        await write(temporary, 'w', text);
        await rename(temporary, pathOf(name));
        await syncPath(folder);
      }),

    overwrite: (name: string, text: string): Promise<void> =>
      writable(async () => {
        const bytes = Buffer.byteLength(await readFile(pathOf(name), 'utf8'));
        const blanks = ' '.repeat(Math.max(0, bytes - Buffer.byteLength(text)));
        // Written without cutting it short first: else the file would get other clusters, and the old ones would keep their
        // bytes.
        await write(pathOf(name), 'r+', text + blanks);
      }),
  };
}

function write(path: string, flags: string, text: string): Promise<void> {
  return withFile(open(path, flags), async (file) => {
    await file.writeFile(text);
    await file.sync();
  });
}

/** Raspberry Pi OS mounts it writable, and then it stays so. */
async function isReadOnly(folder: string): Promise<boolean> {
  const mounts = (await readFile('/proc/self/mounts', 'utf8')).split('\n').map((line) => line.split(' '));
  // Mounts may cover each other: only the last is seen.
  const [, , , options = ''] = mounts.findLast(([, point = '']) => unescaped(point) === folder) ?? [];
  return options.split(',').includes('ro');
}

/** proc(5): blanks and the like are octal. */
function unescaped(point: string): string {
  return point.replaceAll(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
}

async function mountAs(mode: 'rw' | 'ro', folder: string): Promise<void> {
  try {
    await promisify(execFile)('mount', ['-o', `remount,${mode}`, folder], { timeout: REMOUNT_MS });
  } catch (error) {
    const why = `${folder} cannot be mounted ${mode === 'rw' ? 'writable' : 'read-only'}: ${problemOf(error)}`;
    throw new RelaygateError('folder-not-writable', why, { cause: error });
  }
}
