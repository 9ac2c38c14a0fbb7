import { copyFileSync } from 'node:fs';
import { join } from 'node:path';

/** Of a data folder: what all nodes of one installation have in common (server/SCALING.md). */
const COMMON_FILES = ['secrets.json', 'audit.key'];

/** Between two data folders, as an operator does it before a second node starts. */
export function copyCommonFiles(from: string, to: string): void {
  for (const file of COMMON_FILES) copyFileSync(join(from, file), join(to, file));
}
