/** relaygate-flash write on a loop device in the place of a card. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { forgetBuffers } from '@relaygate/hardware/card/linux-cards';
import { writeCard } from '@relaygate/hardware/card/write-card';
import { imageSource } from '@relaygate/hardware/image/image-source';
import { fatToolsMissing, makeFatImage } from '../../support/device/fat-image';
import { type Flashed, relaygateFlash } from '../../support/processes/flash';
import { folderForEach } from '../../support/processes/fresh-folder';
import { describeWhere } from '../../support/processes/needs';

const MEBIBYTE = 1024 * 1024;

const folder = folderForEach('rg-loop-');
const backing = join(folder, 'backing');
let loop: string;

/** Loop devices take root, and a kernel that has some left. */
function loopsMissing(): string | undefined {
  if (process.getuid?.() !== 0) return 'loop devices need root';
  try {
    execFileSync('losetup', ['--find'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'this machine has no loop device left';
  }
}

const write = (...args: string[]): Promise<Flashed> =>
  relaygateFlash('write', '--image', join(folder, 'gate.img'), '--device', loop, '--allow-fixed', ...args);

describeWhere(fatToolsMissing() ?? loopsMissing())('writing a card', () => {
  beforeEach(() => {
    makeFatImage(join(folder, 'gate.img'), { restMebibytes: 1 });
    writeFileSync(backing, '');
    truncateSync(backing, 64 * MEBIBYTE);
    loop = execFileSync('losetup', ['--find', '--show', backing], { encoding: 'utf8' }).trim();
  });
  afterEach(() => void execFileSync('losetup', ['--detach', loop]));

  test('writes it and reads it back', async () => {
    const { code, out, err } = await write('--confirm', basename(loop));
    expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(/reading back: done, 48 MB/) });
    expect(out).toMatch(/written and read back\. It can be taken out\.$/);
    const image = readFileSync(join(folder, 'gate.img'));
    expect(readFileSync(backing).subarray(0, image.length).equals(image)).toBe(true);
  });

  test('writes nothing where nobody confirms it', async () => {
    const { code, err } = await write();
    expect(code).toBe(1);
    expect(err).toMatch(/refused: Nothing was written/);
    expect(readFileSync(backing).every((byte) => byte === 0)).toBe(true);
  });

  test('writes no card that is mounted', async () => {
    execFileSync('mkfs.ext4', ['-q', loop]);
    const point = join(folder, 'mounted');
    mkdirSync(point);
    execFileSync('mount', [loop, point]);
    try {
      const before = readFileSync(backing);
      const { code, err } = await write('--confirm', basename(loop));
      expect(code).toBe(1);
      expect(err).toMatch(new RegExp(`card-unusable: ${loop} is not written: .*mounted at ${point}: unmount it first`));
      expect(readFileSync(backing).equals(before)).toBe(true);
    } finally {
      execFileSync('umount', [point]);
    }
  });

  test('writes no card that is too small', async () => {
    truncateSync(join(folder, 'gate.img'), 80 * MEBIBYTE);
    const { code, err } = await write('--confirm', basename(loop), '--json');
    expect(code).toBe(1);
    // Behind the progress of reading the image through.
    expect(JSON.parse(err.split('\n').at(-1) ?? '')).toEqual({
      error: 'card-unusable',
      message: expect.stringMatching(/it has 68 MB, and the image takes 84 MB/),
    });
  });

  test('writes no disk that cannot be taken out, unless told so', async () => {
    const image = join(folder, 'gate.img');
    const { code, err } = await relaygateFlash(
      'write',
      '--image',
      image,
      '--device',
      loop,
      '--confirm',
      basename(loop),
    );
    expect(code).toBe(1);
    expect(err).toMatch(/card-unusable: .*neither a card nor a disk that can be taken out; --allow-fixed/);
    expect(readFileSync(backing).every((byte) => byte === 0)).toBe(true);
  });

  test('reads back what the card holds, and not what this machine remembers of it', async () => {
    const image = join(folder, 'gate.img');
    const written = async (forget: (path: string) => Promise<void>): Promise<number> => {
      // A device that somebody else has open too keeps its buffers.
      const other = await open(loop, 'r');
      try {
        return await writeCard({
          source: await imageSource(image),
          path: loop,
          progress: { style: 'json', write: () => {}, nowMs: () => 0 },
          async forgetBuffers(path) {
            const card = await open(backing, 'r+');
            await card.write(Buffer.from('a worn-out block'), 0, 16, MEBIBYTE);
            await card.close();
            await forget(path);
          },
        });
      } finally {
        await other.close();
      }
    };
    await expect(written(forgetBuffers)).rejects.toMatchObject({ code: 'not-verified' });
    // Without it the damage would not have been seen.
    expect(await written(async () => {})).toBe(readFileSync(image).length);
  });

  test('what is no disk', async () => {
    const to = (device: string): Promise<Flashed> =>
      relaygateFlash('write', '--image', join(folder, 'gate.img'), '--device', device);
    expect(await to('/dev/null')).toMatchObject({ code: 1, err: expect.stringMatching(/\/dev\/null is no disk/) });
    expect(await to('/dev/nothing')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/There is no \/dev\/nothing/),
    });
  });
});
