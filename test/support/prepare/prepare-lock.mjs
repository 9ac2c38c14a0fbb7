import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PrepareError } from './program.mjs';

const LOCK_WAIT_MS = 15 * 60_000;
const LOCK_POLL_MS = 200;

/** One at a time in a working copy: two `npm ci` at once would pull node_modules from under each other. */
export async function lock(folder) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'prepare.lock');
  const giveUpAt = Date.now() + LOCK_WAIT_MS;
  for (let told = false; ; ) {
    if (claim(file)) return () => rmSync(file, { force: true });
    const holder = holderOf(file);
    if (holder === 'gone') {
      rmSync(file, { force: true });
      continue;
    }
    if (Date.now() > giveUpAt)
      throw new PrepareError(`Process ${holder} holds ${file} for too long; delete it if that process is not ours.`);
    if (!told) process.stderr.write(`Waiting for process ${holder}, which installs or builds here ...\n`);
    told = true;
    await new Promise((done) => setTimeout(done, LOCK_POLL_MS));
  }
}

/** Puts our process id into the lock file, which appears with its content or not at all; false when it is there already. */
function claim(file) {
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, String(process.pid));
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw new PrepareError(`${file} cannot be written: ${error.message}`);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The process id in a lock file, or 'gone' when that process is no more. */
function holderOf(file) {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    return error.code === 'EPERM' ? 'of another user' : 'gone';
  }
}
