// What Debian's installer would ask for, and what a root file system that is never written needs.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BuildError, run } from '../package/workshop.mjs';

const FILES = fileURLToPath(new URL('files', import.meta.url));
/** Nobody logs in on this machine, and nothing is to be kept in order on a card that is not written. */
const MASKED = [
  ...['getty@tty1.service', 'serial-getty@.service', 'apt-daily.timer', 'apt-daily-upgrade.timer', 'fstrim.timer'],
  ...['dpkg-db-backup.timer', 'e2scrub_all.timer', 'e2scrub_reap.service', 'systemd-random-seed.service'],
  // What a system that is written does at its first boot, or once it has changed.
  ...['systemd-firstboot.service', 'systemd-hwdb-update.service', 'ldconfig.service', 'systemd-update-done.service'],
  ...['systemd-journal-catalog-update.service', 'systemd-machine-id-commit.service', 'systemd-sysusers.service'],
];

/** Of a kernel that Debian makes for every machine. */
const UNUSED_MODULES = [
  'sound',
  ...['media', 'staging', 'infiniband', 'iio', 'scsi', 'ata'].map((name) => `drivers/${name}`),
];

/** `root`: the folder of the root file system. `boot`: has the kernel's modules. */
export function finishRoot(root, boot, release) {
  cpSync(FILES, root, { recursive: true });
  cpSync(join(boot, 'usr/lib/modules', release), join(root, 'usr/lib/modules', release), { recursive: true });
  mountForStatus(root);
  for (const kind of UNUSED_MODULES)
    rmSync(join(root, 'usr/lib/modules', release, 'kernel', kind), { recursive: true });
  run('depmod', ['--basedir', root, release]);
  for (const folder of ['data', 'etc/NetworkManager/system-connections'])
    mkdirSync(join(root, folder), { recursive: true });
  // Empty: a new one in memory at each boot, and no questions.
  writeFileSync(join(root, 'etc/machine-id'), '');
  run('ln', ['-sf', '/run/NetworkManager/resolv.conf', join(root, 'etc/resolv.conf')]);
  const units = join(root, 'etc/systemd/system');
  for (const unit of MASKED) run('ln', ['-sf', '/dev/null', join(units, unit)]);
  run('sh', ['-c', 'rm -rf "$1"/var/cache/apt/* "$1"/var/lib/apt/lists/* "$1"/var/log/* "$1"/tmp/*', 'sh', root]);
}

/** vfat(5) takes a group by its number, which the package's installation has drawn. */
function mountForStatus(root) {
  const [, group] = /^relaygate-status:[^:]*:(\d+):/m.exec(readFileSync(join(root, 'etc/group'), 'utf8')) ?? [];
  if (group === undefined) throw new BuildError('The installed package has made no group relaygate-status.');
  const fstab = join(root, 'etc/fstab');
  writeFileSync(fstab, readFileSync(fstab, 'utf8').replace('@STATUS_GROUP@', group));
}
