import { existsSync, linkSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { RelaygateError } from '@relaygate/shared';
import type { CheckedCopy, CopyProgress } from '../../database-copy';
import { databaseFile } from '../data-folder';
import { codeOf, messageOf } from '../foreign-error';
import { checkedCopy, removeDatabase, syncFile } from './checked-copy';

/**
 * A checked copy of the data folder's database in the new file `target`, beside a server that may be running. It appears
 * there only when it is whole. Fails with `already-exists` when there is such a file, and like `checkedCopy`.
 */
export async function backUp(dataDir: string, target: string, progress: CopyProgress): Promise<CheckedCopy> {
  const file = resolve(target);
  if (existsSync(file)) throw exists(target);
  const half = `${file}.half-${process.pid}`;
  const copy = await checkedCopy({ file: databaseFile(dataDir), inUse: true }, half, progress);
  try {
    // Unlike a rename, it fails when somebody made such a file meanwhile.
    linkSync(half, file);
    rmSync(half);
    syncFile(file);
  } catch (cause) {
    removeDatabase(half);
    if (codeOf(cause) === 'EEXIST') throw exists(target);
    throw new RelaygateError('folder-not-writable', `${target} cannot be written: ${messageOf(cause)}.`, { cause });
  }
  return copy;
}

function exists(target: string): RelaygateError {
  return new RelaygateError('already-exists', `${target} is there already; a backup never overwrites a file.`);
}
