import { accessSync, constants, lchownSync, lstatSync, mkdirSync, type StatsFs, statfsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { RelaygateError } from '@relaygate/shared';

/** Hashes of keys, and secrets: for the server's user only. */
const FOLDER_MODE = 0o700;

/** The path of the database. */
export function databaseFile(dataDir: string): string {
  return join(dataDir, 'relaygate.db');
}

/** Held by the server that runs on the folder. */
export function lockFile(dataDir: string): string {
  return join(dataDir, 'server.lock');
}

/** Makes the folder if it is missing. Fails with `folder-not-writable`. */
export function prepareDataFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: FOLDER_MODE });
    if (!statSync(dataDir).isDirectory()) throw new Error('not a folder');
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    const text = `The data folder ${dataDir} cannot be written; choose another with RELAYGATE_DATA_DIR or allow this user to write it.`;
    throw new RelaygateError('folder-not-writable', text, { cause });
  }
}

/**
 * Gives files that a program run by root has made to the folder's owner; the server is another user and could not open them
 * otherwise. A link, and a file with a second name, stay as they are: somebody else may have put them there, to become the owner
 * of what they lead to.
 */
export function giveToOwnerOf(dataDir: string, ...files: readonly string[]): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(dataDir);
  for (const file of files) {
    const there = lstatSync(file, { throwIfNoEntry: false });
    if (there?.isFile() && there.nlink === 1) lchownSync(file, uid, gid);
  }
}

/** What a program without special rights may still write to the folder's disk. */
export async function freeBytes(folder: string): Promise<number> {
  return freeIn(await statfs(folder));
}

/** The same, synchronously. */
export function freeBytesNow(folder: string): number {
  return freeIn(statfsSync(folder));
}

function freeIn({ bavail, bsize }: StatsFs): number {
  return bavail * bsize;
}
