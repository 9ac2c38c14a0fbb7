import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Card, CardNeeds } from '@relaygate/hardware/card/block-device';
import { type WriteDeps, write } from '@relaygate/hardware/write';
import { folderForEach } from '../../support/processes/fresh-folder';

const IMAGE = imageOf(300_000, 500);

/** Bytes of every kind behind a partition table with one FAT partition. */
function imageOf(sizeBytes: number, partitionSectors: number): Buffer {
  const image = Buffer.from(Array.from({ length: sizeBytes }, (_, n) => (n * 7919) % 251));
  const entry = 446;
  image.fill(0, entry, 510);
  image.writeUInt8(0x0c, entry + 4);
  image.writeUInt32LE(8, entry + 8);
  image.writeUInt32LE(partitionSectors, entry + 12);
  image.writeUInt16LE(0xaa55, 510);
  return image;
}

const folder = folderForEach('rg-write-');
const image = join(folder, 'gate.img');
const device = join(folder, 'card');
let asked: string[];
beforeEach(() => {
  asked = [];
  writeFileSync(image, IMAGE);
  writeFileSync(device, '');
  truncateSync(device, 1_000_000);
});

/** A file in the place of a card. */
function ports(more: Partial<WriteDeps> = {}): WriteDeps {
  const card: Card = { name: 'sdz', path: device, sizeBytes: 1_000_000, words: 'ACME, 1 MB', serial: '42' };
  return {
    progress: { style: 'lines', write: () => {}, nowMs: () => 0 },
    lookAtCard: async () => card,
    forgetBuffers: async () => {},
    ask: async (question) => {
      asked.push(question);
      return 'sdz';
    },
    ...more,
  };
}
const request = (confirm?: string) => ({ image, device, confirm, allowFixed: false });
const written = (): Buffer => readFileSync(device).subarray(0, IMAGE.length);

describe('writing a card', () => {
  test('shows what it is, asks for its name, and writes all of the image', async () => {
    expect(await write(request(), ports())).toEqual({ device, card: 'ACME, 1 MB', bytes: IMAGE.length });
    expect(asked).toEqual([expect.stringMatching(/ACME, 1 MB\. All that is on it will be gone\. Type "sdz"/)]);
    expect(written().equals(IMAGE)).toBe(true);
  });

  test.each(['yes', 'sda', '', null])('writes nothing where "%s" is typed', async (answer) => {
    const refused = write(request(), ports({ ask: async () => answer }));
    await expect(refused).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringMatching(/Nothing was written/),
    });
    expect(written().every((byte) => byte === 0)).toBe(true);
  });

  test('asks nobody where the name was given beforehand, and it has to be the right one', async () => {
    await write(request('sdz'), ports());
    await expect(write(request('sdb'), ports())).rejects.toMatchObject({ code: 'refused' });
    expect(asked).toEqual([]);
  });

  test('looks again after the answer, for it may have been mounted meanwhile', async () => {
    let looks = 0;
    const { lookAtCard } = ports();
    const mounted = ports({
      lookAtCard: (path, needs) => {
        looks += 1;
        return looks === 1 ? lookAtCard(path, needs) : Promise.reject(new Error('mounted'));
      },
    });
    await expect(write(request(), mounted)).rejects.toThrow('mounted');
    expect(written().every((byte) => byte === 0)).toBe(true);
  });

  test.each([{ name: 'sdy' }, { sizeBytes: 999_999 }, { words: 'OTHER, 1 MB' }, { serial: '43' }, { serial: null }])(
    'writes no other card than the one shown (%p)',
    async (other) => {
      let looks = 0;
      const { lookAtCard } = ports();
      const changed = ports({
        lookAtCard: async (path, needs) => {
          looks += 1;
          return { ...(await lookAtCard(path, needs)), ...(looks === 1 ? {} : other) };
        },
      });
      await expect(write(request(), changed)).rejects.toMatchObject({
        code: 'card-unusable',
        message: expect.stringMatching(/another card than the one shown/),
      });
      expect(written().every((byte) => byte === 0)).toBe(true);
    },
  );

  test('reads the card back, and says so where it gives something else', async () => {
    const bad = ports({
      forgetBuffers: async () => {
        const bytes = readFileSync(device);
        bytes.writeUInt8(bytes.readUInt8(200_000) ^ 1, 200_000);
        writeFileSync(device, bytes);
      },
    });
    await expect(write(request(), bad)).rejects.toMatchObject({ code: 'not-verified' });
    const short = ports({ forgetBuffers: async () => truncateSync(device, 100_000) });
    await expect(write(request(), short)).rejects.toMatchObject({ code: 'not-verified' });
  });

  test('unpacks an image on its way', async () => {
    writeFileSync(image, gzipSync(IMAGE));
    expect(await write(request('sdz'), ports())).toMatchObject({ bytes: IMAGE.length });
    expect(written().equals(IMAGE)).toBe(true);
  });

  const packed = gzipSync(IMAGE);
  const damaged = Buffer.from(packed);
  damaged.fill(0, packed.length / 2, packed.length / 2 + 100);
  test.each([
    ['no image', Buffer.from('%PDF-1.7'.repeat(100)), /no partition table/],
    ['a packed one that is no image', gzipSync(Buffer.alloc(4096)), /no partition table/],
    ['an image that is cut short', IMAGE.subarray(0, 100_000), /cut short/],
    ['one that was packed cut short', gzipSync(IMAGE.subarray(0, 100_000)), /cut short/],
    ['a download that is cut short', packed.subarray(0, packed.length - 1000), /cannot be unpacked/],
    ['a damaged download', damaged, /cannot be unpacked/],
  ])('asks nothing and writes nothing for %s', async (_what, bytes, why) => {
    writeFileSync(image, bytes);
    await expect(write(request(), ports())).rejects.toMatchObject({
      code: 'image-unusable',
      message: expect.stringMatching(why),
    });
    expect(asked).toEqual([]);
    expect(written().every((byte) => byte === 0)).toBe(true);
  });

  test('looks for room for the image as it is unpacked, each time', async () => {
    writeFileSync(image, packed);
    const needed: CardNeeds[] = [];
    const { lookAtCard } = ports();
    const looking = ports({
      lookAtCard: (path, needs) => {
        needed.push(needs);
        return lookAtCard(path, needs);
      },
    });
    await write(request(), looking);
    const needs = { imageBytes: IMAGE.length, allowFixed: false };
    expect(needed).toEqual([needs, needs]);
  });
});
