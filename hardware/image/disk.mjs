// The card: three partitions, put together from files, so that nothing has to be mounted.
import { closeSync, openSync, readSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../package/workshop.mjs';

const MIB = 1024 * 1024;
const FIRST_MIB = 4;
const BOOT_MIB = 256;
const DATA_MIB = 64;
/** What a file system needs beside its files. */
const ROOM = 1.15;
const ROOM_MIB = 48;
const COPY_BYTES = 4 * MIB;
/** The table of contents is written whole at once: an idle card is not written. */
const EXT4 = ['-q', '-F', '-t', 'ext4', '-m', '0', '-E', 'lazy_itable_init=0,lazy_journal_init=0'];

export const DISK_PROGRAMS = {
  'mkfs.vfat': 'dosfstools',
  mcopy: 'mtools',
  mke2fs: 'e2fsprogs',
  sfdisk: 'fdisk',
  du: 'coreutils',
};

/** Writes the image from three folders: of the boot partition, of the root file system, of the data partition. */
export function writeDisk({ boot, root, data, image, scratch }) {
  const [used = '0'] = run('du', ['--summarize', '--block-size=1M', root]).split('\t');
  const rootMib = Math.ceil(Number(used) * ROOM) + ROOM_MIB;
  const parts = [
    { type: 'c, bootable', sizeMib: BOOT_MIB, make: (file) => makeFat(file, boot) },
    // Never written, so there is nothing to write ahead.
    { type: '83', sizeMib: rootMib, make: (file) => makeExt4(file, root, 'relaygate-root', ['-O', '^has_journal']) },
    { type: '83', sizeMib: DATA_MIB, make: (file) => makeExt4(file, data, 'relaygate-data', []) },
  ];
  rmSync(image, { force: true });
  writeFileSync(image, '');
  truncateSync(image, (FIRST_MIB + parts.reduce((sum, { sizeMib }) => sum + sizeMib, 0)) * MIB);
  let startMib = FIRST_MIB;
  const table = ['label: dos', 'unit: sectors'];
  for (const { type, sizeMib, make } of parts) {
    const file = join(scratch, 'partition');
    writeFileSync(file, '');
    truncateSync(file, sizeMib * MIB);
    make(file);
    copyInto(image, file, startMib * MIB);
    rmSync(file);
    table.push(`start=${startMib * 2048}, size=${sizeMib * 2048}, type=${type}`);
    startMib += sizeMib;
  }
  run('sfdisk', ['--quiet', '--no-reread', '--no-tell-kernel', image], { input: `${table.join('\n')}\n` });
}

function makeFat(file, folder) {
  run('mkfs.vfat', ['-F', '32', '-n', 'RELAYGATE', file]);
  run('sh', ['-c', 'mcopy -s -m -i "$1" "$2"/* ::/', 'sh', file, folder]);
}

function makeExt4(file, folder, label, options) {
  run('mke2fs', [...EXT4, ...options, '-L', label, '-d', folder, file]);
}

/** Blocks of zeros stay holes. */
function copyInto(image, file, offset) {
  const [from, to] = [openSync(file, 'r'), openSync(image, 'r+')];
  const buffer = Buffer.alloc(COPY_BYTES);
  const zeros = Buffer.alloc(COPY_BYTES);
  for (let at = 0; at < statSync(file).size; at += COPY_BYTES) {
    const size = readSync(from, buffer, 0, COPY_BYTES, at);
    if (buffer.compare(zeros, 0, size, 0, size) !== 0) writeSync(to, buffer, 0, size, offset + at);
  }
  closeSync(from);
  closeSync(to);
}
