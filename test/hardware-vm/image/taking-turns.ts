/** One process at a time works in the cache: boots that run beside each other need the same images. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pause } from './fetching';

const POLL_MS = 200;

/** Waits for its turn, works, and lets the next one in. `folder`: what is worked in. */
export function inTurn<T>(folder: string, work: () => T): T {
  const lock = join(folder, 'lock');
  mkdirSync(folder, { recursive: true });
  while (!take(lock)) pause(POLL_MS);
  try {
    return work();
  } finally {
    rmSync(lock);
  }
}

function take(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    if (!isHeld(lock)) rmSync(lock, { force: true });
    return false;
  }
}

/** By a process that lives; one that has just made it may not have written its number yet. */
function isHeld(lock: string): boolean {
  try {
    const holder = readFileSync(lock, 'utf8');
    if (holder !== '') process.kill(Number(holder), 0);
    return true;
  } catch {
    return false;
  }
}
