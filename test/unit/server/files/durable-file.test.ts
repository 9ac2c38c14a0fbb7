import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { nameDurably, tryToWrite, writeDurably } from '@relaygate/server/files/durable-file';
import { folderForEach } from '../../../support/processes/fresh-folder';
import { describeWhere } from '../../../support/processes/needs';

const folder = folderForEach('rg-durable-');
const [half, file] = [join(folder, 'half'), join(folder, 'file')];
beforeEach(() => writeFileSync(half, 'new'));

test.each([true, false])('a file gets its name, and the other one goes (replaces: %p)', (replaces) => {
  nameDurably(half, file, { replaces });
  expect(readdirSync(folder)).toEqual(['file']);
  expect(readFileSync(file, 'utf8')).toBe('new');
});

test('a file of this name stays, unless it is to be replaced', () => {
  writeFileSync(file, 'old');
  expect(() => nameDurably(half, file, { replaces: false })).toThrow('EEXIST');
  expect(readFileSync(file, 'utf8')).toBe('old');
  nameDurably(half, file, { replaces: true });
  expect(readFileSync(file, 'utf8')).toBe('new');
});

test('a write that fails leaves nothing beside the file', () => {
  rmSync(half);
  mkdirSync(file);
  expect(() => writeDurably(file, 'new', 0o644)).toThrow('EISDIR');
  expect(readdirSync(folder)).toEqual(['file']);
});

/** Like the user of the server, after root: nothing stops root itself. */
function withoutRights(run: () => void): void {
  if (process.getuid?.() !== 0) return run();
  const nobody = 65_534;
  process.seteuid?.(nobody);
  try {
    run();
  } finally {
    process.seteuid?.(0);
  }
}

test.each<[string, () => void]>([
  ['is written', () => writeDurably(file, 'new', 0o644)],
  ['can be written', () => tryToWrite(file)],
])('a file %s although another user, who was killed, has left its half', (_, write) => {
  rmSync(half);
  writeFileSync(`${file}.half`, 'ne');
  chmodSync(`${file}.half`, 0o444);
  chmodSync(folder, 0o777);
  withoutRights(write);
  expect(readdirSync(folder)).not.toContain('file.half');
});

describe.each<[string, (victim: string, half: string) => void]>([
  ['a link', symlinkSync],
  ['another name', linkSync],
])('where somebody has put %s of another file in the place of its half', (_, plant) => {
  test.each<[string, () => void]>([
    ['is written', () => writeDurably(file, 'new', 0o644)],
    ['can be written', () => tryToWrite(file)],
  ])('a file %s, and the other one stays as it is', (_, write) => {
    const victim = join(folder, 'victim');
    writeFileSync(victim, 'precious');
    plant(victim, `${file}.half`);
    write();
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    expect(readdirSync(folder)).not.toContain('file.half');
  });
});

test('a file of another user can be written where its folder may be written, and stays as it is', () => {
  writeFileSync(file, 'old');
  chmodSync(file, 0o400);
  chmodSync(folder, 0o777);
  withoutRights(() => {
    tryToWrite(file);
    expect(readdirSync(folder)).toEqual(['file', 'half']);
    expect(statSync(file)).toMatchObject({ uid: process.getuid?.(), size: 3 });
    writeDurably(file, 'new', 0o644);
  });
  expect(readFileSync(file, 'utf8')).toBe('new');
});

test('a folder cannot be written as a file, and is still there', () => {
  mkdirSync(file);
  expect(() => tryToWrite(file)).toThrow('EISDIR');
  expect(readdirSync(folder)).toEqual(['file', 'half']);
});

describe.each<[string, () => void, RegExp]>([
  ['a link', () => symlinkSync(half, file), /^ELOOP: .*link.*name the file itself/],
  ['a link to nothing', () => symlinkSync(join(folder, 'missing'), file), /^ELOOP: .*link/],
  ['a pipe', () => void execFileSync('mkfifo', [file]), /^ENOTSUP: .*no plain file/],
])('in the place of %s', (_, make, why) => {
  test('no file can be written, and it stays', () => {
    make();
    const before = lstatSync(file).ino;
    expect(() => tryToWrite(file)).toThrow(why);
    expect(() => writeDurably(file, 'new', 0o644)).toThrow(why);
    expect(lstatSync(file).ino).toBe(before);
    expect(readFileSync(half, 'utf8')).toBe('new');
    expect(readdirSync(folder).sort()).toEqual(['file', 'half']);
  });
});

/** As the temporary folder is: whoever may write it may not replace the files of others. */
const STICKY = 0o1777;

const missingRoot = process.getuid?.() === 0 ? undefined : 'only root can act as another user';
describeWhere(missingRoot)('a file of another user, in a folder with the sticky bit', () => {
  test('cannot be written', () => {
    writeFileSync(file, 'old');
    chmodSync(folder, STICKY);
    withoutRights(() => {
      expect(() => writeDurably(file, 'new', 0o644)).toThrow('EPERM');
      expect(() => tryToWrite(file)).toThrow('EPERM');
    });
    expect(() => tryToWrite(file)).not.toThrow();
    expect(readFileSync(file, 'utf8')).toBe('old');
  });
});

describeWhere(mountMissing())('a file that is mounted by itself', () => {
  test.each(['file', 'a file'])('(%p) cannot be written, because no other one can get its name', (name) => {
    const mounted = join(folder, name);
    writeFileSync(mounted, 'old');
    execFileSync('mount', ['--bind', half, mounted]);
    try {
      expect(() => tryToWrite(mounted)).toThrow(/^EXDEV: .*mount its folder/);
      expect(readdirSync(folder).sort()).toEqual(['half', name].sort());
      expect(readFileSync(half, 'utf8')).toBe('new');
    } finally {
      execFileSync('umount', [mounted]);
    }
    expect(() => tryToWrite(mounted)).not.toThrow();
  });
});

/** What keeps this machine from mounting a file, in words. */
function mountMissing(): string | undefined {
  const there = mkdtempSync(join(tmpdir(), 'rg-mount-'));
  try {
    execFileSync('mount', ['--bind', there, there], { stdio: 'pipe' });
    execFileSync('umount', [there]);
    return undefined;
  } catch (error) {
    return `mounting a file needs root: ${String(error)}`;
  } finally {
    rmSync(there, { recursive: true });
  }
}
