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
 * A connection of NetworkManager's, copied to where it looks; none: taken away there. Throws for one that somebody else has
 * written than this user, for what it says is done as root.
 */
export function placeConnection(from: string, to: string): void {
  const text = ownText(from);
  // Anew: a file that is there keeps its rights when it is written.
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
  // What was opened is judged, for a name may mean another file a moment later.
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.uid !== process.getuid?.()) throw new Error(`${path} was not written by this program`);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** Until the next start, which says it anew: so a read-only root can keep its own name. Throws. */
export function nameMachine(hostname: string): void {
  if (readFileSync(HOSTNAME, 'utf8').trim() !== hostname) writeFileSync(HOSTNAME, hostname);
}

/** Of systemd-timesyncd, which begins anew with them where they have changed; null: the site names none. */
export async function placeTimeServers(path: string, text: string | null, run = runProgram): Promise<void> {
  const before = existsSync(path) ? readFileSync(path, 'utf8') : null;
  if (before === text) return;
  if (text === null) rmSync(path);
  else {
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    writeFileSync(path, text);
    // For a user of its own, whatever this program's umask is.
    chmodSync(path, 0o644);
  }
  // Not waited for: this may be one of the jobs that it would come after.
  await run('systemctl', ['--no-block', 'try-restart', 'systemd-timesyncd.service']);
}

/** The wall clock; nothing of ours waits by it. Rejects where this user may not. */
export function setClock(epochMs: number, run = runProgram): Promise<void> {
  return run('date', ['--utc', `--set=@${Math.ceil(epochMs / 1_000)}`]);
}

/** Which channels are lawful, and the switch of the Wi-Fi on. Rejects where a program is missing or fails, with both tried. */
export async function unblockWifi(country: string, run = runProgram): Promise<void> {
  // Neither waits for the other to be there: a Wi-Fi that is on has more use than one that is lawful and off.
  const ran = await Promise.allSettled([run('iw', ['reg', 'set', country]), run('rfkill', ['unblock', 'wifi'])]);
  const problems = ran.flatMap((one) => (one.status === 'rejected' ? [problemOf(one.reason)] : []));
  if (problems.length > 0) throw new Error(problems.join('; '));
}

function runProgram(program: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { timeout: COMMAND_MS }, (error) => (error ? reject(error) : resolve()));
  });
}
