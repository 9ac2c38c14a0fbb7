/** What a site's settings mean to the machine itself, beyond its files. */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { problemOf } from '../runtime/problem';

const COMMAND_MS = 10_000;
const HOSTNAME = '/proc/sys/kernel/hostname';

/** The number of the user to whom root gives its files; undefined: there is none of that name, or this is not root. */
export function ownerOf(name: string): number | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  const id = line?.split(':')[2];
  return id === undefined ? undefined : Number(id);
}

/**
 * Copies a connection of NetworkManager's to where it looks; if there is none, removes it there. Throws if another user
 * than this one has written it, because root acts on it.
 */
export function placeConnection(from: string, to: string): void {
  const text = ownText(from);
  // Made anew, because a file that is there keeps its rights when it is written.
  removeConnection(to);
  if (text === null) return;
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  writeFileSync(to, text, { mode: 0o600, flag: 'wx' });
}

export function removeConnection(path: string): void {
  rmSync(path, { force: true });
}

/** null: there is no such file. */
function ownText(path: string): string | null {
  if (!lstatSync(path, { throwIfNoEntry: false })) return null;
  // Checks the opened file, because the name may mean another file a moment later.
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.uid !== process.getuid?.()) throw new Error(`${path} was not written by this program`);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** Names the machine until the next start, which names it again, so that a read-only root can keep its own name. Throws. */
export function nameMachine(hostname: string): void {
  if (readFileSync(HOSTNAME, 'utf8').trim() !== hostname) writeFileSync(HOSTNAME, hostname);
}

/** Sets the servers of systemd-timesyncd and restarts it if they have changed; null: the site names none. */
export async function placeTimeServers(path: string, text: string | null, run = runProgram): Promise<void> {
  const before = existsSync(path) ? readFileSync(path, 'utf8') : null;
  if (before === text) return;
  if (text === null) rmSync(path);
  else {
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    writeFileSync(path, text);
    // Another user reads it, whatever this program's umask is.
    chmodSync(path, 0o644);
  }
  // Not waited for, because this program may be one of the jobs that the restart waits for.
  await run('systemctl', ['--no-block', 'try-restart', 'systemd-timesyncd.service']);
}

/** Sets the wall clock, by which no wait of ours goes. Rejects if this user may not. */
export function setClock(epochMs: number, run = runProgram): Promise<void> {
  return run('date', ['--utc', `--set=@${Math.ceil(epochMs / 1_000)}`]);
}

/**
 * Sets the country, by which channels are lawful, and switches the Wi-Fi on. Rejects if a program is missing or fails; then
 * both were tried.
 */
export async function unblockWifi(country: string, run = runProgram): Promise<void> {
  // Each is tried without the other, because a Wi-Fi that is on is of more use than one that is lawful and off.
  const ran = await Promise.allSettled([run('iw', ['reg', 'set', country]), run('rfkill', ['unblock', 'wifi'])]);
  const problems = ran.flatMap((one) => (one.status === 'rejected' ? [problemOf(one.reason)] : []));
  if (problems.length > 0) throw new Error(problems.join('; '));
}

function runProgram(program: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { timeout: COMMAND_MS }, (error) => (error ? reject(error) : resolve()));
  });
}
