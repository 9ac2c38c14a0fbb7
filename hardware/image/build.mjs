// `npm run image`: a card image for Raspberry Pi Zero 2, 3 and 4 from Debian's packages and ours, in dist/.
//   npm run image -- --package FILE     with this package instead of one that is built now
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPackage } from '../package/build.mjs';
import { BuildError, CACHE, needPrograms, OUTPUT, orExplain, run, say } from '../package/workshop.mjs';
import { bootFiles, installedRoot, kernelRelease, ROOT_PROGRAMS } from './debian-root.mjs';
import { DISK_PROGRAMS, writeDisk } from './disk.mjs';
import { initramfs } from './initramfs.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
/** Of the boot partition, for Windows and a person with a text editor. */
const BOOT_TEXTS = ['config.txt', 'cmdline.txt'];
const FIRMWARE = /^(bootcode\.bin|start.*\.elf|fixup.*\.dat)$/;
const DEVICE_TREES = /^bcm2(71|83)\d-rpi-.*\.dtb$/;
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

function buildImage(packageFile) {
  needPrograms({ cpio: 'cpio', depmod: 'kmod', xz: 'xz-utils', ...ROOT_PROGRAMS, ...DISK_PROGRAMS });
  if (process.getuid?.() !== 0) throw new BuildError('Only root can build an image: sudo npm run image.');
  const deb = packageFile ?? buildPackage();
  const boot = bootFiles();
  mkdirSync(CACHE, { recursive: true });
  const scratch = mkdtempSync(join(CACHE, 'image-'));
  try {
    const root = join(scratch, 'root');
    installedRoot(deb, root);
    const release = kernelRelease(boot);
    finishRoot(root, boot, release);
    const partition = join(scratch, 'boot');
    writeBootPartition({ partition, root, boot, release, scratch });
    const data = join(scratch, 'data');
    writeData(data, root);
    say('Putting the partitions together ...');
    mkdirSync(OUTPUT, { recursive: true });
    const image = join(
      OUTPUT,
      basename(deb).replace(/^relaygate-device_(.*)_arm64\.deb$/, 'relaygate_$1_raspberry-pi.img'),
    );
    writeDisk({ boot: partition, root, data, image: `${image}.new`, scratch });
    run('mv', [`${image}.new`, image]);
    return image;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** What Debian's installer would ask for, and what a root file system that is never written needs. */
function finishRoot(root, boot, release) {
  cpSync(join(HERE, 'files'), root, { recursive: true });
  cpSync(join(boot, 'usr/lib/modules', release), join(root, 'usr/lib/modules', release), { recursive: true });
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

function writeBootPartition({ partition, root, boot, release, scratch }) {
  say('Making what the kernel starts with ...');
  mkdirSync(partition);
  const firmware = join(boot, 'usr/lib/raspi-firmware');
  for (const file of readdirSync(firmware).filter((name) => FIRMWARE.test(name)))
    copyFileSync(join(firmware, file), join(partition, file));
  const trees = join(boot, 'usr/lib', `linux-image-${release}`, 'broadcom');
  for (const file of readdirSync(trees).filter((name) => DEVICE_TREES.test(name)))
    copyFileSync(join(trees, file), join(partition, file));
  copyFileSync(join(boot, 'boot', `vmlinuz-${release}`), join(partition, 'vmlinuz'));
  writeFileSync(join(partition, 'initrd.img'), initramfs({ root, boot, release, scratch }));
  for (const name of BOOT_TEXTS) writeFileSync(join(partition, name), readFileSync(join(HERE, name)));
  writeFileSync(
    join(partition, 'relaygate-board.txt'),
    '# The levels of the lines of your board before the guard runs: relayctl board show NAME\n',
  );
}

function writeData(data, root) {
  mkdirSync(join(data, 'connections'), { recursive: true });
  chmodSync(join(data, 'connections'), 0o700);
  run('cp', ['--archive', join(root, 'var/lib/relaygate'), join(data, 'relaygate')]);
}

await orExplain(async () => {
  const args = process.argv.slice(2);
  const at = args.indexOf('--package');
  say(`Done: ${buildImage(at < 0 ? undefined : args[at + 1])}`);
});
