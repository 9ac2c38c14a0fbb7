/** The disk below the data folder, and the card's life. */
import { fail, ok, warn } from './finding';
import type { Check, Machine } from './look';

const MIB = 1_048_576;
const LEAST_BYTES = 10 * MIB;
const FEW_BYTES = 100 * MIB;
const LEAST_FILES = 100;
const CARD = '/sys/block/mmcblk0/device';
const KERNEL_SAYS = /EXT4-fs error|I\/O error|[Rr]emounting filesystem read-only|mmcblk\d.*(error|timeout)/;

export const diskSpace: Check = ({ machine, folders: { dataDir } }) => {
  const name = 'disk';
  const mount = mountOf(machine, dataDir);
  const cure = 'free some space, for instance by "journalctl --vacuum-size=50M"';
  const means = 'settings and states cannot be saved, so commands end as "unproven" or are refused';
  if (mount?.options.includes('ro'))
    return fail(
      name,
      `${mount.path} is mounted read-only`,
      means,
      'look at the kernel log, and replace the card if it failed',
    );
  const { freeBytes, freeFiles } = machine.spaceOf(dataDir);
  const found = `${Math.floor(freeBytes / MIB)} MiB free${mount ? ` on ${mount.path}` : ''}`;
  if (freeBytes < LEAST_BYTES || freeFiles < LEAST_FILES) return fail(name, found, means, cure);
  return freeBytes < FEW_BYTES ? warn(name, found, 'it may soon be full', cure) : ok(name, found);
};

export const fileSystemErrors: Check = async ({ machine }) => {
  const name = 'file system';
  const counted = machine
    .namesIn('/sys/fs/ext4')
    .filter((disk) => !['0', ''].includes((machine.textOf(`/sys/fs/ext4/${disk}/errors_count`) ?? '').trim()));
  const cure = 'copy the data folder, then check or replace the card';
  const means = 'the card may be failing';
  if (counted.length > 0) return fail(name, `ext4 has counted errors on ${counted.join(', ')}`, means, cure);
  const kernelLog = await machine.run('dmesg', []);
  if (kernelLog === null) return ok(name, 'ext4 has counted no errors; the kernel log is not for this user');
  const said = kernelLog.split('\n').filter((line) => KERNEL_SAYS.test(line));
  return said.length === 0
    ? ok(name, 'neither ext4 nor the kernel log knows of errors')
    : warn(name, `the kernel log has ${said.length} lines such as: ${said.at(-1)?.trim()}`, means, cure);
};

/** JEDEC eMMC 5.0: tenths of its life that are used, and what is left of its reserve. Most cards tell neither. */
export const cardLife: Check = ({ machine }) => {
  const name = 'card';
  const life = machine.textOf(`${CARD}/life_time`)?.trim();
  const reserve = Number(machine.textOf(`${CARD}/pre_eol_info`)?.trim() ?? 0);
  if (!life) return ok(name, 'it does not tell its age');
  const used = Math.max(...life.split(/\s+/).map(Number));
  const found = `at most ${used * 10} % of its life is used`;
  const cure = 'replace it before it fails';
  if (used > 10 || reserve > 2) return fail(name, `${found}; its reserve is used up`, 'it may fail any day', cure);
  return used > 8 || reserve > 1 ? warn(name, found, 'it will fail in the foreseeable future', cure) : ok(name, found);
};

function mountOf(machine: Machine, folder: string): { path: string; options: string[] } | null {
  const mounts = (machine.textOf('/proc/mounts') ?? '').split('\n').flatMap((line) => {
    const [, path, , options] = line.split(' ');
    return path && options ? [{ path, options: options.split(',') }] : [];
  });
  const above = mounts.filter(({ path }) => path === '/' || folder === path || folder.startsWith(`${path}/`));
  // Of two at one path the later one is on top.
  return above.reduce<(typeof above)[number] | null>(
    (best, mount) => (best && best.path.length > mount.path.length ? best : mount),
    null,
  );
}
