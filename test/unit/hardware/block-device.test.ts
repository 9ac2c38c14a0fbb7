import { describe, expect, test } from '@jest/globals';
import { cardOf } from '@relaygate/hardware/card/block-device';

const GIGABYTE = 1_000_000_000;
const device = (more: object = {}): object => ({
  name: 'sdb',
  path: '/dev/sdb',
  type: 'disk',
  size: 32 * GIGABYTE,
  ro: false,
  model: 'STORAGE DEVICE ',
  vendor: 'Generic ',
  mountpoints: [null],
  ...more,
});
const part = (more: object = {}): object =>
  device({ name: 'sdb1', path: '/dev/sdb1', type: 'part', model: null, vendor: null, ...more });
const card = (more: object = {}, used: string[] = []) => cardOf({ blockdevices: [device(more)] }, used, 4 * GIGABYTE);

describe('a card that may be written', () => {
  test('is told by maker, model and size', () => {
    expect(card({ children: [part()] })).toEqual({
      name: 'sdb',
      path: '/dev/sdb',
      sizeBytes: 32 * GIGABYTE,
      words: 'Generic STORAGE DEVICE, 32.0 GB',
    });
    expect(card({ model: null, vendor: null }).words).toBe('unknown model, 32.0 GB');
  });

  test.each([
    ['a partition', { type: 'part' }, /it is a part and no whole disk/],
    ['a RAID', { type: 'raid1' }, /no whole disk/],
    ['the system disk', { children: [part(), part({ mountpoints: ['/'] })] }, /\/ of this machine is on it/],
    ['a disk of swap', { children: [part({ mountpoints: ['[SWAP]'] })] }, /\[SWAP\] of this machine/],
    ['a mounted card', { children: [part({ mountpoints: ['/media/x/boot'] })] }, /sdb1 is mounted at \/media\/x\/boot/],
    ['a mounted disk without partitions', { mountpoints: ['/mnt'] }, /sdb is mounted at \/mnt/],
    [
      'a disk of an encrypted system',
      { children: [part({ children: [part({ path: '/dev/mapper/c', type: 'crypt', mountpoints: ['/home'] })] })] },
      /\/home of this machine is on it/,
    ],
    [
      'a disk of a volume group that is not mounted',
      { children: [part({ children: [part({ path: '/dev/vg/x', type: 'lvm' })] })] },
      /part of \/dev\/vg\/x \(lvm\)/,
    ],
    ['a read-only card', { ro: true }, /read-only; some cards have a small slider/],
    ['a small card', { size: 2 * GIGABYTE }, /it has 2\.0 GB, and the image takes 4\.0 GB/],
    ['an empty reader', { size: 0 }, /it has 0 MB/],
  ])('is not %s', (_what, more, why) => {
    expect(() => card(more)).toThrow(
      expect.objectContaining({ code: 'card-unusable', message: expect.stringMatching(why) }),
    );
  });

  test('is not one that the kernel has in use, whatever lsblk says', () => {
    expect(() => card({ children: [part()] }, ['/dev/sdb1'])).toThrow(/sdb1 is in use/);
  });

  test('is not guessed from what lsblk never printed', () => {
    for (const printed of [null, {}, { blockdevices: [] }, { blockdevices: [{ name: 'sdb' }] }])
      expect(() => cardOf(printed, [], 0)).toThrow(expect.objectContaining({ code: 'card-unusable' }));
  });
});
