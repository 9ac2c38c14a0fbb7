import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * The file `half` becomes `file`, durable: whenever the program or the power ends, there is the whole file or none of this
 * name. Fails with EEXIST if there is one already, unless `replaces`.
 */
export function nameDurably(half: string, file: string, { replaces }: { replaces: boolean }): void {
  sync(half);
  if (replaces) renameSync(half, file);
  else {
    // Unlike a rename, a link fails if another program has made this file meanwhile.
    linkSync(half, file);
    rmSync(half);
  }
  sync(dirname(resolve(file)));
}

/** The content of a file, or the names in a folder. */
function sync(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
