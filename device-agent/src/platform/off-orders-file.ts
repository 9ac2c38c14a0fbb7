import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../runtime/problem';

/** A file in memory (tmpfs) that says how the board is switched off (guard/off-orders-keeper.ts); synchronous, and whole at every moment. */
export function offOrdersFile(path: string) {
  return {
    read(): string | null {
      try {
        return readFileSync(path, 'utf8');
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return null;
        throw error;
      }
    },
    replace(text: string): void {
      mkdirSync(dirname(path), { recursive: true, mode: 0o750 });
      writeFileSync(`${path}.new`, text, { mode: 0o640 });
      renameSync(`${path}.new`, path);
    },
    remove: (): void => rmSync(path, { force: true }),
  };
}
