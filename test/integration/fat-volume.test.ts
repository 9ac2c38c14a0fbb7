/** Our own writer of FAT against Debian's: what it leaves must be what mtools read and what fsck.vfat takes. */
import { readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { bootPartitionIn } from '@relaygate/hardware/image/disk';
import { FatVolume } from '@relaygate/hardware/image/fat-volume';
import { SeededChance } from '../support/chance/seeded-chance';
import { fatToolsMissing, fsckComplaints, makeFatImage, mcopyInto, mdir, mtype } from '../support/device/fat-image';
import { folderForEach } from '../support/processes/fresh-folder';
import { describeWhere } from '../support/processes/needs';

const NAME = 'relaygate-site.json';
/** Each file that is put waits for the disk, and there are hundreds. */
const LIMIT_MS = 5 * 60_000;
const NOW = new Date('2026-11-22T00:10:20Z');

const folder = folderForEach('rg-fat-');
const image = join(folder, 'card.img');

async function onVolume<T>(work: (volume: FatVolume) => Promise<T>): Promise<T> {
  const file = await open(image, 'r+');
  try {
    return await work(await FatVolume.open(await bootPartitionIn(file, (await file.stat()).size)));
  } finally {
    await file.close();
  }
}
const put = (text: string, name = NAME): Promise<void> =>
  onVolume((volume) => volume.put(name, Buffer.from(text), NOW));
const read = (name = NAME): Promise<string | undefined> =>
  onVolume(async (volume) => (await volume.read(name))?.toString());

function copyIn(name: string, text: string): void {
  const file = join(folder, 'scratch');
  writeFileSync(file, text);
  mcopyInto(image, file, name);
}

const VOLUMES = [
  { bootMebibytes: 40, clusterSectors: 1 },
  { bootMebibytes: 300, clusterSectors: 8 },
] as const;

describeWhere(fatToolsMissing()).each(VOLUMES)('FAT32 of $bootMebibytes MiB', (options) => {
  const complaints = (): string => fsckComplaints(image, join(folder, 'boot'), options.bootMebibytes);
  beforeEach(() => {
    makeFatImage(image, options);
    copyIn('config.txt', 'arm_64bit=1\n');
    copyIn('kernel8.img', 'K'.repeat(100_000));
  });

  test('a file that we put there is one that others read, and fsck has nothing against it', async () => {
    await put('{"a": 1}\n');
    expect(mtype(image, NAME)).toBe('{"a": 1}\n');
    expect(mdir(image).sort()).toEqual(['config.txt', 'kernel8.img', NAME]);
    expect(complaints()).toBe('');
    expect(mtype(image, 'kernel8.img')).toBe('K'.repeat(100_000));
  });

  test('a file that others put there is one that we read, and put another in the place of', async () => {
    copyIn(NAME, 'old '.repeat(3_000));
    expect(await read()).toBe('old '.repeat(3_000));
    expect(await read('CONFIG.TXT')).toBe('arm_64bit=1\n');
    expect(await read('nothing.txt')).toBeUndefined();
    await put('new');
    expect(mtype(image, NAME)).toBe('new');
    expect(mdir(image).filter((name) => name === NAME)).toHaveLength(1);
    expect(complaints()).toBe('');
    copyIn('after.txt', 'by others');
    expect(await read('after.txt')).toBe('by others');
    expect(await read()).toBe('new');
    expect(complaints()).toBe('');
  });

  test('an empty file, and files of all sizes about a cluster', async () => {
    const cluster = options.clusterSectors * 512;
    for (const size of [0, 1, cluster - 1, cluster, cluster + 1, 5 * cluster, 65_536]) {
      await put('x'.repeat(size));
      expect(await read()).toBe('x'.repeat(size));
      expect(mtype(image, NAME)).toHaveLength(size);
    }
    expect(complaints()).toBe('');
  });

  test(
    'a folder with many names, some of them gone, has room all the same',
    async () => {
      const chance = new SeededChance(options.bootMebibytes);
      const names = Array.from({ length: 120 }, (_, n) => `a rather long name of a file, number ${n}.txt`);
      for (const name of names) await put(name, name);
      for (const name of names.filter(() => chance.fraction() < 0.5)) await put('again', name);
      await put('{}');
      expect(mdir(image)).toEqual(expect.arrayContaining([...names, NAME]));
      expect(complaints()).toBe('');
    },
    LIMIT_MS,
  );

  test('a volume without room says so', async () => {
    await expect(put('x'.repeat(options.bootMebibytes * 1024 * 1024))).rejects.toMatchObject({ code: 'no-space' });
  });
});

describeWhere(fatToolsMissing())('FAT16', () => {
  test('is refused before anything is written', async () => {
    makeFatImage(image, { bits: 16 });
    const before = readFileSync(image);
    await expect(put('{}')).rejects.toMatchObject({
      code: 'image-unusable',
      message: expect.stringContaining('it is no FAT32'),
    });
    expect(readFileSync(image).equals(before)).toBe(true);
  });
});

describe('what is no image', () => {
  const expectUnusable = async (why: RegExp): Promise<void> => {
    await expect(read()).rejects.toMatchObject({ code: 'image-unusable', message: expect.stringMatching(why) });
  };
  const sectors = (count: number): Buffer => Buffer.alloc(512 * count);

  test('a short file, and one without a table', async () => {
    writeFileSync(image, 'hello');
    await expectUnusable(/shorter than one sector/);
    writeFileSync(image, sectors(8));
    await expectUnusable(/no partition table/);
  });

  test.each([
    ['cut short', 0x0c, 100, /cut short: its partitions end at 52224 bytes, the file at 4096/],
    ['without FAT', 0x83, 2, /no FAT partition/],
    ['with a GPT', 0xee, 2, /GPT/],
    ['not formatted', 0x0c, 4, /not formatted/],
  ])('%s', async (_what, type, count, why) => {
    const bytes = sectors(8);
    bytes.writeUInt8(type, 446 + 4);
    bytes.writeUInt32LE(2, 446 + 8);
    bytes.writeUInt32LE(count, 446 + 12);
    bytes.writeUInt16LE(0xaa55, 510);
    writeFileSync(image, bytes);
    await expectUnusable(why);
  });
});
