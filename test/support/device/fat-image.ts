/** Images with a FAT boot partition, made and read by Debian's tools: the other side of our own writer. */
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { missingProgram } from '../processes/missing-program';

const MEBIBYTE = 1024 * 1024;
const SECTOR_BYTES = 512;
/** Where the first partition of such images begins. */
const BOOT_START_BYTES = 4 * MEBIBYTE;

export const fatToolsMissing = (): string | undefined =>
  missingProgram('mkfs.vfat', 'dosfstools') ?? missingProgram('mcopy', 'mtools');

export interface FatImageOptions {
  bits?: 16 | 32;
  bootMebibytes?: number;
  /** Behind the boot partition, as the root file system is. */
  restMebibytes?: number;
  clusterSectors?: number;
}

/** An image with a boot partition that holds some files, and another one behind it. */
export function makeFatImage(path: string, options: FatImageOptions = {}): void {
  const {
    bits = 32,
    bootMebibytes = bits === 32 ? 40 : 16,
    restMebibytes = 4,
    clusterSectors = bits === 32 ? 1 : 4,
  } = options;
  const bootBytes = bootMebibytes * MEBIBYTE;
  writeFileSync(path, '');
  truncateSync(path, BOOT_START_BYTES + bootBytes + restMebibytes * MEBIBYTE);
  const kibibytes = String(bootBytes / 1024);
  const format = ['-F', String(bits), '-s', String(clusterSectors), '-n', 'BOOTFS'];
  execFileSync('mkfs.vfat', [...format, `--offset=${BOOT_START_BYTES / SECTOR_BYTES}`, path, kibibytes], {
    stdio: 'ignore',
  });
  const table = Buffer.alloc(66);
  partition(table, 0, bits === 32 ? 0x0c : 0x0e, BOOT_START_BYTES, bootBytes);
  partition(table, 16, 0x83, BOOT_START_BYTES + bootBytes, restMebibytes * MEBIBYTE);
  table.writeUInt16LE(0xaa55, 64);
  const file = openSync(path, 'r+');
  writeSync(file, table, 0, table.length, 446);
  closeSync(file);
}

function partition(table: Buffer, at: number, type: number, startBytes: number, sizeBytes: number): void {
  table.writeUInt8(type, at + 4);
  table.writeUInt32LE(startBytes / SECTOR_BYTES, at + 8);
  table.writeUInt32LE(sizeBytes / SECTOR_BYTES, at + 12);
}

const atBoot = (image: string): string => `${image}@@${BOOT_START_BYTES}`;

export function mcopyInto(image: string, file: string, name: string): void {
  execFileSync('mcopy', ['-o', '-i', atBoot(image), file, `::${name}`], { stdio: 'ignore' });
}

/** A file as mtools read it. */
export function mtype(image: string, name: string): string {
  return execFileSync('mtype', ['-i', atBoot(image), `::${name}`], { encoding: 'utf8' });
}

/** Names in the root folder, as mtools see them. */
export function mdir(image: string): string[] {
  return execFileSync('mdir', ['-b', '-i', atBoot(image), '::'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace('::/', ''));
}

/** What fsck has against the boot partition; empty: nothing. */
export function fsckComplaints(image: string, scratch: string, bootMebibytes: number): string {
  writeFileSync(scratch, readFileSync(image).subarray(BOOT_START_BYTES, BOOT_START_BYTES + bootMebibytes * MEBIBYTE));
  const { status, stdout } = spawnSync('fsck.vfat', ['-n', '-v', scratch], { encoding: 'utf8' });
  return status === 0 ? '' : stdout;
}
