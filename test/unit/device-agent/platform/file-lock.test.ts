import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { lockByte } from '@relaygate/device-agent/platform/byte-lock';
import { type FileLock, lockFile } from '@relaygate/device-agent/platform/file-lock';
import { folderForEach } from '../../../support/processes/fresh-folder';
import { describeWhere } from '../../../support/processes/needs';

const MODULE = require.resolve('@relaygate/device-agent/platform/file-lock');
const NOBODY = 65_534;
const folder = folderForEach('rg-f-');
const path = join(folder, 'guard.lock');
const held: FileLock[] = [];
afterEach(async () => {
  for (const lock of held.splice(0)) await lock.release();
});

async function take(take: Promise<FileLock | null> = lockFile(path)): Promise<boolean> {
  const lock = await take;
  if (lock) held.push(lock);
  return lock !== null;
}

/** Another process, as `uid`: prints what it got, and holds it until its input ends. */
function otherProcess(uid = process.getuid?.() ?? 0) {
  const script = `require(${JSON.stringify(MODULE)}).lockFile(${JSON.stringify(path)})
    .then((lock) => console.log(lock ? 'has it' : 'taken'), (error) => console.log(error.code));
    process.stdin.resume().on('end', () => process.exit());`;
  return spawn(process.execPath, ['-e', script], { uid, gid: uid, stdio: ['pipe', 'pipe', 'inherit'] });
}
const word = async (child: ReturnType<typeof otherProcess>): Promise<string> => {
  const [bytes] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  return String(bytes).trim();
};

describe('the lock of a file', () => {
  test('is had once, and again when it was given back; the file stays', async () => {
    expect([await take(), await take()]).toEqual([true, false]);
    await held.pop()?.release();
    expect(await take()).toBe(true);
    expect(readdirSync(folder)).toEqual(['guard.lock']);
  });

  test('ends with its process, also when that is killed, and not while it stands still', async () => {
    const other = otherProcess();
    expect(await word(other)).toBe('has it');
    other.kill('SIGSTOP');
    expect(await take()).toBe(false);
    const ended = once(other, 'exit');
    other.kill('SIGKILL');
    await ended;
    expect(await take()).toBe(true);
  });

  test('goes to one of many processes that start at once', async () => {
    const others = Array.from({ length: 6 }, () => otherProcess());
    const words = await Promise.all(others.map(word));
    for (const other of others) other.kill('SIGKILL');
    expect(words.sort()).toEqual(['has it', 'taken', 'taken', 'taken', 'taken', 'taken']);
  });

  test('follows no link', async () => {
    writeFileSync(join(folder, 'precious'), '', { mode: 0o666 });
    symlinkSync(join(folder, 'precious'), path);
    await expect(take()).rejects.toMatchObject({ code: 'ELOOP' });
  });

  test('waits for no pipe that somebody has put there', async () => {
    execFileSync('mkfifo', [path]);
    const other = otherProcess();
    try {
      expect(await word(other)).toBe('EEXIST');
    } finally {
      other.kill('SIGKILL');
    }
  });

  test('may be taken by whoever may write its folder, and by nobody else', async () => {
    for (const [folderMode, fileMode] of [
      [0o755, 0o600],
      [0o2775, 0o640],
    ] as const) {
      chmodSync(folder, folderMode);
      rmSync(path, { force: true });
      await take();
      expect(statSync(path).mode & 0o777).toBe(fileMode);
    }
  });
});

describeWhere(process.getuid?.() === 0 ? undefined : 'needs root: it asks as another user')('as another user', () => {
  test('a lock that is not theirs is beyond reach', async () => {
    chmodSync(folder, 0o755);
    await take();
    const other = otherProcess(NOBODY);
    expect(await word(other)).toBe('EACCES');
    other.stdin.end();
  });

  test('what root has locked in their folder is theirs when root has gone', async () => {
    chownSync(folder, NOBODY, NOBODY);
    await take();
    await held.pop()?.release();
    const other = otherProcess(NOBODY);
    expect(await word(other)).toBe('has it');
    other.stdin.end();
  });
});

describe('the lock of a place in a file that is there', () => {
  test('is had once, and leaves the other places alone', async () => {
    writeFileSync(path, '');
    const takeAt = (at: number): Promise<boolean> => take(lockByte(path, at));
    expect([await takeAt(529), await takeAt(529), await takeAt(530)]).toEqual([true, false, true]);
    await held.shift()?.release();
    expect([await takeAt(530), await takeAt(529)]).toEqual([false, true]);
  });
});
