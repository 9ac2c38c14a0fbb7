/** The disk below the data folder, and the card's life. */

import type { Check, Machine } from './check-context';
import { fail, ok, warn } from './finding';

const MIB = 1_048_576;
const LEAST_BYTES = 10 * MIB;
const FEW_BYTES = 100 * MIB;
const LEAST_FILES = 100;
const CARD = '/sys/block/mmcblk0/device';
const KERNEL_SAYS = /EXT4-fs error|I\/O error|[Rr]emounting filesystem read-only/;
const CARD_SAYS = /error|timeout/;

export const diskSpace: Check = ({ machine, folders: { dataDir } }) => {
  const mount = mountOf(machine, dataDir);
  if (mount?.options.includes('ro')) return fail('disk-read-only', { path: mount.path });
  const { freeBytes, freeFiles } = machine.spaceOf(dataDir);
  const space = { freeMib: Math.floor(freeBytes / MIB), path: mount?.path ?? null };
  if (freeBytes < LEAST_BYTES || freeFiles < LEAST_FILES) return fail('disk-full', space);
  return freeBytes < FEW_BYTES ? warn('disk-nearly-full', space) : ok('disk-well', space);
};

export const fileSystemErrors: Check = async ({ machine }) => {
  const disks = machine
    .namesIn('/sys/fs/ext4')
    .filter((disk) => !['0', ''].includes((machine.textOf(`/sys/fs/ext4/${disk}/errors_count`) ?? '').trim()));
  if (disks.length > 0) return fail('ext4-errors', { disks });
  const kernelLog = await machine.run('dmesg', []);
  if (kernelLog === null) return warn('kernel-log-not-seen', {});
  const said = kernelLog.split('\n').filter(isComplaint);
  const last = said.at(-1);
  return last === undefined
    ? ok('no-file-system-errors', {})
    : warn('kernel-log-errors', { count: said.length, last: last.trim() });
};

/** JEDEC eMMC 5.0: the tenths of its life that are used, and the state of its reserve. Most cards report neither. */
export const cardLife: Check = ({ machine }) => {
  const life = machine.textOf(`${CARD}/life_time`)?.trim();
  const reserve = Number(machine.textOf(`${CARD}/pre_eol_info`)?.trim() ?? 0);
  if (!life) return ok('card-silent', {});
  const used = Math.max(...life.split(/\s+/).map(Number));
  const percent = used * 10;
  if (used > 10 || reserve > 2) return fail('card-used-up', { percent });
  return used > 8 || reserve > 1 ? warn('card-old', { percent }) : ok('card-well', { percent });
};

function mountOf(machine: Machine, folder: string): { path: string; options: string[] } | null {
  const mounts = (machine.textOf('/proc/mounts') ?? '').split('\n').flatMap((line) => {
    const [, path, , options] = line.split(' ');
    return path && options ? [{ path, options: options.split(',') }] : [];
  });
  const above = mounts.filter(({ path }) => path === '/' || folder === path || folder.startsWith(`${path}/`));
  // If two are mounted at one path, the later one is on top.
  return above.reduce<(typeof above)[number] | null>(
    (best, mount) => (best && best.path.length > mount.path.length ? best : mount),
    null,
  );
}

function isComplaint(line: string): boolean {
  const card = line.search(/mmcblk\d/);
  return KERNEL_SAYS.test(line) || (card >= 0 && CARD_SAYS.test(line.slice(card)));
}
