/** The boot partition of a card, mounted somewhere. FAT knows no owners and no links, so the device's own files are written elsewhere. */
import { execFile } from 'node:child_process';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { RelaygateError } from '@relaygate/shared';
import { codeOf, problemOf } from '../program/problem';

const REMOUNT_MS = 20_000;

export interface FatPartitionOptions {
  /** Where it is mounted. */
  folder: string;
  /** It is mounted read-only, and writable for no longer than something is written. Needs root. */
  remount: boolean;
}

export function fatPartition({ folder, remount }: FatPartitionOptions) {
  const pathOf = (name: string): string => join(folder, name);

  /** One after the other: who ends first would make it read-only under the other. */
  let turn: Promise<unknown> = Promise.resolve();
  function writable(write: () => Promise<void>): Promise<void> {
    const mine = turn.then(async () => {
      if (!remount) return write();
      await mountAs('rw', folder);
      try {
        await write();
      } finally {
        await mountAs('ro', folder);
      }
    });
    turn = mine.catch(() => {});
    return mine;
  }

  return {
    async read(name: string): Promise<string | null> {
      try {
        return await readFile(pathOf(name), 'utf8');
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return null;
        throw error;
      }
    },

    replace: (name: string, text: string): Promise<void> =>
      writable(async () => {
        const temporary = pathOf(`${name}.new`);
        await write(temporary, 'w', text);
        await rename(temporary, pathOf(name));
        await syncFolder(folder);
      }),

    overwrite: (name: string, text: string): Promise<void> =>
      writable(async () => {
        const bytes = Buffer.byteLength(await readFile(pathOf(name), 'utf8'));
        const blanks = ' '.repeat(Math.max(0, bytes - Buffer.byteLength(text)));
        // Not cut short first: the file would get other clusters, and the old ones would keep their bytes.
        await write(pathOf(name), 'r+', text + blanks);
      }),
  };
}

async function write(path: string, flags: string, text: string): Promise<void> {
  const file = await open(path, flags);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function mountAs(mode: 'rw' | 'ro', folder: string): Promise<void> {
  try {
    await promisify(execFile)('mount', ['-o', `remount,${mode}`, folder], { timeout: REMOUNT_MS });
  } catch (error) {
    const why = `${folder} cannot be mounted ${mode === 'rw' ? 'writable' : 'read-only'}: ${problemOf(error)}`;
    throw new RelaygateError('folder-not-writable', why, { cause: error });
  }
}
