/**
 * One file in the root folder of a FAT32 volume, read and written: all that is asked of a boot partition here.
 * The libraries of npm that write FAT were left eight years ago (fatfs), or are modules that the tests cannot load and
 * one person's (js-fatfs).
 */
import type { Disk } from './disk';
import { ENTRY_BYTES, freeShortName, isLong, longEntries, longNameOf, shortNameOf } from './fat-names';
import { FatTable, type Geometry, geometryOf, notFat } from './fat-table';

const DELETED = 0xe5;
const ARCHIVE = 0x20;
const VOLUME_LABEL = 0x08;
/** The sector that counts free clusters. */
const INFO_SIGNATURE_AT = 484;
const INFO_SIGNATURE = 0x61417272;
const INFO_FREE_AT = 488;
const INFO_NEXT_AT = 492;

interface Slot {
  at: number;
  entry: Buffer;
}

interface Found {
  /** Its own entry and the long ones before it. */
  slots: Slot[];
  first: number;
  sizeBytes: number;
}

export class FatVolume {
  readonly #disk: Disk;
  readonly #geometry: Geometry;
  readonly #table: FatTable;

  private constructor(disk: Disk, geometry: Geometry, table: FatTable) {
    this.#disk = disk;
    this.#geometry = geometry;
    this.#table = table;
  }

  static async open(disk: Disk): Promise<FatVolume> {
    const geometry = await geometryOf(disk);
    return new FatVolume(disk, geometry, await FatTable.open(disk, geometry));
  }

  /** A file's bytes; null: there is none of that name. */
  async read(name: string): Promise<Buffer | null> {
    const found = findIn(await this.#slots(), name);
    if (!found) return null;
    if (found.sizeBytes === 0) return Buffer.alloc(0);
    const parts: Buffer[] = [];
    for (const cluster of this.#table.chain(found.first)) parts.push(await this.#readCluster(cluster));
    return Buffer.concat(parts).subarray(0, found.sizeBytes);
  }

  /** Puts a file there, in the place of one of the same name. `now`: its date. Throws `no-space`. */
  async put(name: string, bytes: Uint8Array, now: Date): Promise<void> {
    const before = findIn(await this.#slots(), name);
    if (before) await this.#remove(before);
    const { clusterBytes } = this.#geometry;
    const clusters = this.#table.allocate(Math.ceil(bytes.length / clusterBytes));
    for (const [n, cluster] of clusters.entries()) {
      const whole = Buffer.alloc(clusterBytes);
      whole.set(bytes.subarray(n * clusterBytes, (n + 1) * clusterBytes));
      await this.#disk.write(this.#atCluster(cluster), whole);
    }
    await this.#enter(name, clusters[0] ?? 0, bytes.length, now);
    await this.#table.flush();
    await this.#countFree();
  }

  async #remove({ slots, first }: Found): Promise<void> {
    for (const { at } of slots) await this.#disk.write(at, Buffer.of(DELETED));
    if (first !== 0) this.#table.free(this.#table.chain(first));
  }

  async #enter(name: string, first: number, sizeBytes: number, now: Date): Promise<void> {
    const slots = await this.#slots();
    const taken = new Set(slots.filter(isUsed).map(({ entry }) => shortNameOf(entry)));
    const shortName = freeShortName(name, taken);
    const entries = [...longEntries(name, shortName), shortEntry(shortName, first, sizeBytes, now)];
    const run = await this.#freeRun(slots, entries.length);
    for (const [n, entry] of entries.entries()) {
      const at = run[n];
      if (at === undefined) throw notFat('its root folder is full');
      await this.#disk.write(at, entry);
    }
  }

  /** Places of free entries beside each other; the root folder grows where it has none. */
  async #freeRun(slots: readonly Slot[], count: number): Promise<number[]> {
    let run: number[] = [];
    let isOver = false;
    for (const { at, entry } of slots) {
      isOver ||= entry.readUInt8(0) === 0;
      if (isOver || entry.readUInt8(0) === DELETED) run.push(at);
      else run = [];
      if (run.length < count) continue;
      // What stands behind the end of a folder means nothing, until the end moves.
      const next = slots[slots.findIndex((slot) => slot.at === at) + 1];
      if (isOver && next) await this.#disk.write(next.at, Buffer.alloc(ENTRY_BYTES));
      return run;
    }
    const [cluster = 0] = this.#table.allocate(1, this.#table.chain(this.#geometry.rootCluster).at(-1));
    await this.#disk.write(this.#atCluster(cluster), Buffer.alloc(this.#geometry.clusterBytes));
    return this.#freeRun(await this.#slots(), count);
  }

  /** Every entry of the root folder, used or not. */
  async #slots(): Promise<Slot[]> {
    const areas = await Promise.all(
      this.#table.chain(this.#geometry.rootCluster).map(async (cluster) => {
        return { at: this.#atCluster(cluster), bytes: await this.#readCluster(cluster) };
      }),
    );
    return areas.flatMap(({ at, bytes }) =>
      Array.from({ length: bytes.length / ENTRY_BYTES }, (_, n) => ({
        at: at + n * ENTRY_BYTES,
        entry: bytes.subarray(n * ENTRY_BYTES, (n + 1) * ENTRY_BYTES),
      })),
    );
  }

  /** A hint for whoever mounts it, and what fsck compares. */
  async #countFree(): Promise<void> {
    const { infoAt, sectorBytes } = this.#geometry;
    if (infoAt === 0) return;
    const info = await this.#disk.read(infoAt, sectorBytes);
    if (info.readUInt32LE(INFO_SIGNATURE_AT) !== INFO_SIGNATURE) return;
    info.writeUInt32LE(this.#table.freeCount, INFO_FREE_AT);
    // Not known.
    info.writeUInt32LE(0xffffffff, INFO_NEXT_AT);
    await this.#disk.write(infoAt, info);
  }

  #readCluster(cluster: number): Promise<Buffer> {
    return this.#disk.read(this.#atCluster(cluster), this.#geometry.clusterBytes);
  }

  #atCluster(cluster: number): number {
    return this.#geometry.dataAt + (cluster - 2) * this.#geometry.clusterBytes;
  }
}

function isUsed({ entry }: Slot): boolean {
  return entry.readUInt8(0) !== 0 && entry.readUInt8(0) !== DELETED && !isLong(entry);
}

/** By its long name, or its short one; small and large letters are the same here. */
function findIn(slots: readonly Slot[], name: string): Found | null {
  const wanted = name.toLowerCase();
  let long: Slot[] = [];
  for (const slot of slots) {
    const { entry } = slot;
    if (entry.readUInt8(0) === 0) return null;
    if (entry.readUInt8(0) === DELETED) {
      long = [];
      continue;
    }
    if (isLong(entry)) {
      long.push(slot);
      continue;
    }
    const isFile = (entry.readUInt8(11) & VOLUME_LABEL) === 0;
    const before = long.map((one) => one.entry);
    const names = [longNameOf(before, entry), plainName(shortNameOf(entry))];
    if (isFile && names.some((one) => one.toLowerCase() === wanted)) {
      const first = (entry.readUInt16LE(20) << 16) | entry.readUInt16LE(26);
      return { slots: [...long, slot], first, sizeBytes: entry.readUInt32LE(28) };
    }
    long = [];
  }
  return null;
}

function plainName(shortName: string): string {
  const extension = shortName.slice(8).trimEnd();
  return shortName.slice(0, 8).trimEnd() + (extension === '' ? '' : `.${extension}`);
}

function shortEntry(shortName: string, first: number, sizeBytes: number, now: Date): Buffer {
  const entry = Buffer.alloc(ENTRY_BYTES);
  entry.write(shortName, 0, 'latin1');
  entry.writeUInt8(ARCHIVE, 11);
  const time = (now.getUTCHours() << 11) | (now.getUTCMinutes() << 5) | (now.getUTCSeconds() >> 1);
  const date = ((now.getUTCFullYear() - 1980) << 9) | ((now.getUTCMonth() + 1) << 5) | now.getUTCDate();
  for (const at of [14, 22]) entry.writeUInt16LE(time, at);
  for (const at of [16, 18, 24]) entry.writeUInt16LE(date, at);
  entry.writeUInt16LE(first >>> 16, 20);
  entry.writeUInt16LE(first & 0xffff, 26);
  entry.writeUInt32LE(sizeBytes, 28);
  return entry;
}
