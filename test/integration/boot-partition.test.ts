/** The boot partition's adapter on a file system of this machine; where it is FAT is proven by the image's own boot. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { fatPartition } from '@relaygate/device-agent/platform/fat-partition';
import { folderForEach } from '../support/processes/fresh-folder';
import { missingProgram } from '../support/processes/missing-program';
import { describeWhere } from '../support/processes/needs';

const folder = folderForEach('rg-bootp-');

describe('the boot partition', () => {
  test('reads what is there, and null for what is not', async () => {
    writeFileSync(join(folder, 'a.txt'), 'é');
    const boot = fatPartition({ folder, remount: false });
    expect(await boot.read('a.txt')).toBe('é');
    expect(await boot.read('b.txt')).toBeNull();
  });

  test('replaces a file in one step, and leaves nothing beside it', async () => {
    const boot = fatPartition({ folder, remount: false });
    await Promise.all([boot.replace('a.txt', 'one'), boot.replace('a.txt', 'two')]);
    expect(await boot.read('a.txt')).toBe('two');
    expect(readdirSync(folder)).toEqual(['a.txt']);
  });

  test('overwrites a file where it lies: as long as before, and no byte of the old text is left', async () => {
    const path = join(folder, 'a.txt');
    writeFileSync(path, `{"é": "${'s'.repeat(5_000)}"}`);
    const before = statSync(path);
    await fatPartition({ folder, remount: false }).overwrite('a.txt', '{}\n');
    const after = statSync(path);
    expect({ ino: after.ino, size: after.size }).toEqual({ ino: before.ino, size: before.size });
    expect(readFileSync(path, 'utf8')).toMatch(/^\{\}\n +$/);
    await fatPartition({ folder, remount: false }).overwrite('a.txt', 'x'.repeat(6_000));
    expect(readFileSync(path, 'utf8')).toBe('x'.repeat(6_000));
  });
});

const isRoot = process.getuid?.() === 0 ? undefined : 'mounting needs root';
describeWhere(isRoot ?? missingProgram('mkfs.ext4', 'e2fsprogs'))('a boot partition that is mounted read-only', () => {
  let point: string;
  beforeEach(() => {
    point = join(folder, 'mounted');
    mkdirSync(point);
    writeFileSync(join(folder, 'image'), '');
    truncateSync(join(folder, 'image'), 8 * 1024 * 1024);
    execFileSync('mkfs.ext4', ['-q', join(folder, 'image')]);
    execFileSync('mount', ['-o', 'loop', join(folder, 'image'), point]);
    execFileSync('mount', ['-o', 'remount,ro', point]);
  });
  afterEach(() => void execFileSync('umount', [point]));
  const isReadOnly = (): boolean => {
    const line = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((mount) => mount.includes(point));
    return /^\S+ \S+ \S+ ro[, ]/.test(line ?? '');
  };

  test('is writable for no longer than something is written', async () => {
    const boot = fatPartition({ folder: point, remount: true });
    await Promise.all([boot.replace('a.txt', 'one'), boot.replace('b.txt', 'two')]);
    expect(isReadOnly()).toBe(true);
    await boot.overwrite('a.txt', '1');
    expect(isReadOnly()).toBe(true);
    expect([await boot.read('a.txt'), await boot.read('b.txt')]).toEqual(['1  ', 'two']);
  });

  test('stays writable where it was', async () => {
    execFileSync('mount', ['-o', 'remount,rw', point]);
    await fatPartition({ folder: point, remount: true }).replace('a.txt', 'one');
    expect(isReadOnly()).toBe(false);
  });

  test('is one under a name with a blank, too', async () => {
    const blank = join(folder, 'a blank');
    mkdirSync(blank);
    execFileSync('mount', ['--bind', point, blank]);
    execFileSync('mount', ['-o', 'remount,ro,bind', blank]);
    try {
      await fatPartition({ folder: blank, remount: true }).replace('a.txt', 'one');
      expect(readFileSync(join(point, 'a.txt'), 'utf8')).toBe('one');
    } finally {
      execFileSync('umount', [blank]);
    }
  });

  test('that cannot be made writable is said', async () => {
    execFileSync('umount', [point]);
    execFileSync('mount', ['-o', 'loop,ro', join(folder, 'image'), point]);
    const refused = fatPartition({ folder: point, remount: true }).replace('a.txt', 'x');
    await expect(refused).rejects.toMatchObject({ code: 'folder-not-writable' });
  });

  test('is read-only again after a failure, and says so where it cannot be written', async () => {
    const boot = fatPartition({ folder: point, remount: true });
    await expect(boot.overwrite('missing.txt', 'x')).rejects.toThrow(/ENOENT/);
    expect(isReadOnly()).toBe(true);
    await expect(fatPartition({ folder: point, remount: false }).replace('a.txt', 'x')).rejects.toThrow(/EROFS/);
  });
});
