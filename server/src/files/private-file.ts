import { closeSync, fstatSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { RelaygateError } from '@relaygate/shared';
import { codeOf, messageOf } from '../foreign-error';
import { nameDurably, removeIfPossible } from './durable-file';

/** Files of secrets, for the server's user only. What fails is `secrets-unusable`. */

const FILE_MODE = 0o600;
const MODE_OF_OTHERS = 0o077;

/** Undefined if there is none. The mode is asked of the open file, so nobody can exchange it in between. */
export function readPrivately(file: string): string | undefined {
  let handle: number;
  try {
    handle = openSync(file, 'r');
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw unusable(`${file} cannot be read; it must belong to the user that runs the server.`, cause);
  }
  try {
    const stat = fstatSync(handle);
    if (!stat.isFile()) throw unusable(`${file} is no file; move it away.`);
    if (stat.mode & MODE_OF_OTHERS) throw unusable(`${file} is open to other users; run: chmod 600 ${file}`);
    return readFileSync(handle, 'utf8');
  } finally {
    closeSync(handle);
  }
}

/** Whole or not at all. A file that somebody has put there meanwhile, perhaps from a backup, stays. */
export function createPrivately(file: string, text: string): void {
  const half = `${file}.half`;
  try {
    writeFileSync(half, text, { flag: 'wx', mode: FILE_MODE });
    nameUnlessThere(half, file);
  } catch (cause) {
    throw unusable(`${file} cannot be written: ${messageOf(cause)}.`, cause);
  } finally {
    removeIfPossible(half);
  }
}

function nameUnlessThere(half: string, file: string): void {
  try {
    nameDurably(half, file, { replaces: false });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** An error with the code `secrets-unusable`. */
export function unusable(message: string, cause?: unknown): RelaygateError {
  return new RelaygateError('secrets-unusable', message, { cause });
}
