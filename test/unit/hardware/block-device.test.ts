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
  serial: '0123 ',
  rm: true,
  hotplug: true,
  tran: 'usb',
  mountpoints: [null],
  ...more,
});
const part = (more: object = {}): object =>
  device({ name: 'sdb1', path: '/dev/sdb1', type: 'part', model: null, vendor: null, ...more });
const card = (more: object = {}, used: string[] = [], allowFixed = false) =>
  cardOf({ blockdevices: [device(more)] }, used, { imageBytes: 4 * GIGABYTE, allowFixed });

describe('a card that may be written', () => {
  test('is told by maker, model and size', () => {
    expect(card({ children: [part()] })).toEqual({
      name: 'sdb',
      path: '/dev/sdb',
      sizeBytes: 32 * GIGABYTE,
      words: 'Generic STORAGE DEVICE, 32.0 GB',
      serial: '0123',
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

  const FIXED = { rm: false, hotplug: false };
  test.each([
    ['in a slot of the machine', { ...FIXED, tran: 'mmc' }],
    ['where lsblk does not know that bus yet', { ...FIXED, tran: null, name: 'mmcblk0', path: '/dev/mmcblk0' }],
    ['in a reader that is itself no removable disk', { ...FIXED, hotplug: true }],
    ['in a reader that was built in', { ...FIXED, rm: true, tran: 'sata' }],
  ])('is one %s', (_what, more) => expect(() => card(more)).not.toThrow());

  test.each(['sata', 'nvme', null])('is no built-in disk (%s), unless somebody wants that very one', (tran) => {
    expect(() => card({ ...FIXED, tran })).toThrow(/neither a card nor a disk .*--allow-fixed/);
    expect(card({ ...FIXED, tran }, [], true).name).toBe('sdb');
    expect(() => card({ ...FIXED, tran, mountpoints: ['/'] }, [], true)).toThrow(/of this machine is on it/);
  });

  test('is not one that the kernel has in use, whatever lsblk says', () => {
    expect(() => card({ children: [part()] }, ['/dev/sdb1'])).toThrow(/sdb1 is in use/);
  });

  test('is not guessed from what lsblk never printed', () => {
    for (const printed of [null, {}, { blockdevices: [] }, { blockdevices: [{ name: 'sdb' }] }])
      expect(() => cardOf(printed, [], { imageBytes: 0, allowFixed: false })).toThrow(
        expect.objectContaining({ code: 'card-unusable' }),
      );
  });
});
