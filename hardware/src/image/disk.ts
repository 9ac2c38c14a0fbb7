/** Bytes at places: an image in a file, a card, or a part of either. */
export interface Disk {
  sizeBytes: number;
  /** Rejects where the disk ends before. */
  read(offset: number, length: number): Promise<Buffer>;
  write(offset: number, bytes: Uint8Array): Promise<void>;
}

/** The part of a disk from `start` on; what leaves it is refused. */
export function partOf(disk: Disk, start: number, sizeBytes: number): Disk {
  const within = (offset: number, length: number): number => {
    if (offset < 0 || offset + length > sizeBytes) throw new RangeError(`bytes at ${offset} are outside the partition`);
    return start + offset;
  };
  return {
    sizeBytes,
    read: async (offset, length) => disk.read(within(offset, length), length),
    write: async (offset, bytes) => disk.write(within(offset, bytes.length), bytes),
  };
}
