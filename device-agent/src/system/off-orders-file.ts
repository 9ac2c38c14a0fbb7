import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Keeps a file in memory (tmpfs) that tells how the board is switched off. Whole at every moment, and written before
 * anything that makes the old text wrong; synchronous, and so only when it changes.
 */
export function offOrdersFile(path: string): (text: string) => void {
  let written: string | null = null;
  return (text) => {
    if (text === written) return;
    mkdirSync(dirname(path), { recursive: true, mode: 0o750 });
    writeFileSync(`${path}.new`, text, { mode: 0o640 });
    renameSync(`${path}.new`, path);
    written = text;
  };
}
