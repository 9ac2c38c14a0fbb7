import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../runtime/problem';
import type { BoardStore } from './simulated-board';

export const BOARD_FILE = 'board.json';
export const EDGE_LOG_FILE = 'edges.jsonl';
const INPUTS_FILE = 'inputs.json';

/**
 * The simulated board in the data folder. Its state is replaced by a rename, so a killed process leaves it whole. It is not
 * synced, because a board without power has lost its lines anyway.
 */
export function boardFiles(dataDir: string): BoardStore {
  const boardFile = join(dataDir, BOARD_FILE);
  const edgeLog = join(dataDir, EDGE_LOG_FILE);
  return {
    load: () => textOf(boardFile),
    inputs: () => textOf(join(dataDir, INPUTS_FILE)),
    save(text) {
      writeFileSync(`${boardFile}.new`, text);
      renameSync(`${boardFile}.new`, boardFile);
    },
    log: (edge) => appendFileSync(edgeLog, `${JSON.stringify(edge)}\n`),
  };
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}
