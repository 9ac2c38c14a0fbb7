/** Where a FAT32 volume has what, and its table of clusters. Source: Microsoft's FAT specification 1.03. */
import { RelaygateError } from '@relaygate/shared';
import type { Disk } from './disk';

const BOOT_SECTOR_BYTES = 512;
/** From the number of its clusters alone it follows which FAT a volume is. */
const FIRST_OF_FAT32 = 65_525;
const ENTRY_BYTES = 4;
const FIRST_CLUSTER = 2;
const FAT32_MASK = 0x0fffffff;
const SECTOR_SIZES: readonly number[] = [512, 1024, 2048, 4096];

export interface Geometry {
  sectorBytes: number;
  clusterBytes: number;
  clusters: number;
  fatAt: number;
  fatBytes: number;
  fats: number;
  /** Where its root folder begins. */
  rootCluster: number;
  /** The sector that counts free clusters; 0: none. */
  infoAt: number;
  dataAt: number;
}

/** Throws `image-unusable` for what is no FAT32, with which images for a Raspberry Pi come. */
export async function geometryOf(volume: Disk): Promise<Geometry> {
  const boot = await volume.read(0, BOOT_SECTOR_BYTES);
  const sectorBytes = boot.readUInt16LE(11);
  const perCluster = boot.readUInt8(13);
  const reserved = boot.readUInt16LE(14);
  const fats = boot.readUInt8(16);
  if (boot.readUInt16LE(510) !== 0xaa55 || !SECTOR_SIZES.includes(sectorBytes) || !isPowerOfTwo(perCluster))
    throw notFat('it is not formatted');
  if (reserved === 0 || fats === 0) throw notFat('its first sector is wrong');
  const sectors = boot.readUInt16LE(19) || boot.readUInt32LE(32);
  const fatBytes = (boot.readUInt16LE(22) || boot.readUInt32LE(36)) * sectorBytes;
  const dataAt = reserved * sectorBytes + fats * fatBytes;
  const clusterBytes = perCluster * sectorBytes;
  const clusters = Math.floor((sectors * sectorBytes - dataAt) / clusterBytes);
  if (sectors * sectorBytes > volume.sizeBytes || fatBytes === 0) throw notFat('it is larger than its partition');
  if (clusters < FIRST_OF_FAT32) throw notFat('it is no FAT32');
  return {
    ...{ sectorBytes, clusterBytes, clusters, fats, fatBytes, dataAt },
    fatAt: reserved * sectorBytes,
    rootCluster: boot.readUInt32LE(44),
    infoAt: boot.readUInt16LE(48) * sectorBytes,
  };
}

/** The table in memory; what has changed is written by `flush`, to every copy. */
export class FatTable {
  readonly #volume: Disk;
  readonly #geometry: Geometry;
  readonly #table: Buffer;
  readonly #changed = new Set<number>();

  private constructor(volume: Disk, geometry: Geometry, table: Buffer) {
    this.#volume = volume;
    this.#geometry = geometry;
    this.#table = table;
  }

  static async open(volume: Disk, geometry: Geometry): Promise<FatTable> {
    return new FatTable(volume, geometry, await volume.read(geometry.fatAt, geometry.fatBytes));
  }

  /** The clusters of a file, from its first one on. Throws `image-unusable` for a chain that leads nowhere. */
  chain(first: number): number[] {
    const chain: number[] = [];
    for (let cluster = first; !this.#isEnd(cluster); cluster = this.#get(cluster)) {
      if (cluster < FIRST_CLUSTER || cluster >= this.#end || chain.length > this.#geometry.clusters)
        throw notFat('its table of clusters is damaged: let a PC check it (chkdsk, fsck.vfat)');
      chain.push(cluster);
    }
    return chain;
  }

  free(clusters: readonly number[]): void {
    for (const cluster of clusters) this.#set(cluster, 0);
  }

  /** New clusters, linked to each other; behind `after`, where it is given. Throws `no-space`. */
  allocate(count: number, after?: number): number[] {
    const found: number[] = [];
    for (let cluster = FIRST_CLUSTER; cluster < this.#end && found.length < count; cluster += 1)
      if (this.#get(cluster) === 0) found.push(cluster);
    if (found.length < count) throw new RelaygateError('no-space', 'The boot partition has no room for the settings.');
    for (const [n, cluster] of found.entries()) this.#set(cluster, found[n + 1] ?? FAT32_MASK);
    const [first] = found;
    if (after !== undefined && first !== undefined) this.#set(after, first);
    return found;
  }

  get freeCount(): number {
    let count = 0;
    for (let cluster = FIRST_CLUSTER; cluster < this.#end; cluster += 1) if (this.#get(cluster) === 0) count += 1;
    return count;
  }

  async flush(): Promise<void> {
    const { fatAt, fatBytes, fats, sectorBytes } = this.#geometry;
    for (const at of this.#changed) {
      const sector = this.#table.subarray(at, at + sectorBytes);
      for (let copy = 0; copy < fats; copy += 1) await this.#volume.write(fatAt + copy * fatBytes + at, sector);
    }
    this.#changed.clear();
  }

  get #end(): number {
    return FIRST_CLUSTER + this.#geometry.clusters;
  }

  #isEnd(cluster: number): boolean {
    return cluster >= 0x0ffffff8;
  }

  #get(cluster: number): number {
    return this.#table.readUInt32LE(cluster * ENTRY_BYTES) & FAT32_MASK;
  }

  #set(cluster: number, next: number): void {
    const { sectorBytes } = this.#geometry;
    const at = cluster * ENTRY_BYTES;
    // The upper four bits are not ours.
    this.#table.writeUInt32LE(((this.#table.readUInt32LE(at) & ~FAT32_MASK) | (next & FAT32_MASK)) >>> 0, at);
    this.#changed.add(Math.floor(at / sectorBytes) * sectorBytes);
  }
}

export function notFat(why: string): RelaygateError {
  return new RelaygateError('image-unusable', `The boot partition of the image cannot be used: ${why}.`);
}

function isPowerOfTwo(number: number): boolean {
  return number > 0 && (number & (number - 1)) === 0;
}
