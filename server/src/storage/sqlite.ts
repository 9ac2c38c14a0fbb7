import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';

/** The first Node that better-sqlite3 13 is for. */
const FIRST_NODE = 22;

/**
 * better-sqlite3 of the version that fits this Node: 13 ends Node 20 with a segmentation fault, and 12, compiled for Node
 * 24.19 or newer, ends that one when it collects a statement as garbage.
 */
export const Sqlite: typeof BetterSqlite3 = load();

function load(): typeof BetterSqlite3 {
  const require = createRequire(__filename);
  if (Number(process.versions.node.split('.')[0]) >= FIRST_NODE) return require('better-sqlite3');
  try {
    return require('better-sqlite3-12');
  } catch (cause) {
    const what = `better-sqlite3-12, which Node ${process.versions.node} needs, does not load`;
    const cure = 'Use Node 24; or install make, g++ and python3, then run "npm ci" again.';
    throw new Error(`${what} (${cause instanceof Error ? cause.message : cause}). ${cure}`, { cause });
  }
}
