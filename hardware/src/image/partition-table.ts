/** The partition table of a card for a Raspberry Pi: a master boot record. Source: UEFI specification 2.10, 5.2.1. */
import { RelaygateError } from '@relaygate/shared';

/** As many bytes of a card have its partition table. */
export const SECTOR_BYTES = 512;
const SIGNATURE_AT = 510;
const SIGNATURE = 0xaa55;
const ENTRIES_AT = 446;
const ENTRY_BYTES = 16;
const ENTRIES = 4;
/** FAT16 and FAT32, by sectors and by cylinders. */
const FAT_TYPES: readonly number[] = [0x04, 0x06, 0x0b, 0x0c, 0x0e];
const GPT_TYPE = 0xee;

export interface Partition {
  startBytes: number;
  sizeBytes: number;
}

/** The first FAT partition, from which a Raspberry Pi boots. `sector`: the image's first one. Throws `image-unusable`. */
export function bootPartitionOf(sector: Buffer, imageBytes: number): Partition {
  if (imageBytes < SECTOR_BYTES) throw notAnImage('it is shorter than one sector');
  if (sector.readUInt16LE(SIGNATURE_AT) !== SIGNATURE) throw notAnImage('it has no partition table');
  const entries = Array.from({ length: ENTRIES }, (_, n) => {
    const entry = sector.subarray(ENTRIES_AT + n * ENTRY_BYTES, ENTRIES_AT + (n + 1) * ENTRY_BYTES);
    return {
      type: entry.readUInt8(4),
      startBytes: entry.readUInt32LE(8) * SECTOR_BYTES,
      sizeBytes: entry.readUInt32LE(12) * SECTOR_BYTES,
    };
  }).filter(({ type, sizeBytes }) => type !== 0 && sizeBytes > 0);
  if (entries.some(({ type }) => type === GPT_TYPE)) throw notAnImage('it has a GPT, and no master boot record');
  const endBytes = Math.max(0, ...entries.map(({ startBytes, sizeBytes }) => startBytes + sizeBytes));
  if (endBytes > imageBytes)
    throw notAnImage(`it is cut short: its partitions end at ${endBytes} bytes, the file at ${imageBytes}`);
  const boot = entries.find(({ type }) => FAT_TYPES.includes(type));
  if (!boot) throw notAnImage('it has no FAT partition to boot from');
  return { startBytes: boot.startBytes, sizeBytes: boot.sizeBytes };
}

function notAnImage(why: string): RelaygateError {
  return new RelaygateError('image-unusable', `This is no image of a card for a Raspberry Pi: ${why}.`);
}
