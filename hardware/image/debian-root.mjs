// What of the image is Debian's: the root file system, and what boots it.
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cached, run, say } from '../package/workshop.mjs';

/** Its kernel knows `persist_gpio_outputs`, which the older releases' do not. */
const SUITE = 'trixie';
/** Where a machine that is no Debian finds the archive; one that is has its own mirror. */
const ARCHIVE = 'http://deb.debian.org/debian';
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const IN_ARM64 = fileURLToPath(new URL('in-arm64', import.meta.url));

const PACKAGES = [
  ...['systemd-sysv', 'udev', 'dbus', 'libpam-systemd', 'systemd-timesyncd', 'init-system-helpers', 'login', 'kmod'],
  // Both kinds of network.
  ...['network-manager', 'wpasupplicant', 'wireless-regdb', 'firmware-brcm80211', 'ca-certificates', 'iproute2'],
  // The Wi-Fi's country and switch; who lets the agent ask for its hotspot, and who gives addresses there.
  ...['iw', 'rfkill', 'polkitd', 'dnsmasq-base'],
  // The file systems' checks; a technician's tools; what the device's package needs.
  ...['e2fsprogs', 'dosfstools', 'iputils-ping', 'less', 'procps', 'gpiod', 'libstdc++6'],
];
/** Unpacked beside the root: their own installation is for machines that build what boots them. */
const BOOT_PACKAGES = ['raspi-firmware', 'linux-image-arm64', 'busybox-static'];
const LEFT_OUT = ['/usr/share/man/*', '/usr/share/locale/*', '/usr/share/doc/*', '/usr/share/info/*'];

export const ROOT_PROGRAMS = {
  mmdebstrap: 'mmdebstrap',
  'arch-test': 'arch-test',
  unshare: 'util-linux',
  [KEYRING]: 'debian-archive-keyring',
  '/usr/lib/binfmt.d/qemu-aarch64.conf': 'qemu-user-static',
};

/** Fails here, and not on a door. */
const LOAD_NATIVE_PARTS =
  "require('koffi').load(null); require('@serialport/bindings-cpp').autoDetect(); require('onoff');";

/** Runs a command with programs for arm64 at work. */
function runInArm64(args) {
  return run(IN_ARM64, args);
}

/** The folder of a root file system without anything of ours; made once. */
function debianRoot() {
  return join(
    cached('root', [SUITE, ...PACKAGES, ...LEFT_OUT, IN_ARM64], (folder) => {
      say(`Making a Debian ${SUITE} for arm64, whose programs are emulated: 10 to 20 minutes, once ...`);
      const excluded = LEFT_OUT.map((path) => `--dpkgopt=path-exclude=${path}`);
      const kept = '--dpkgopt=path-include=/usr/share/doc/*/copyright';
      // What is cut short is made anew, so nobody waits for the disk.
      const fast = '--dpkgopt=force-unsafe-io';
      runInArm64(bootstrap('minbase', PACKAGES, [...excluded, kept, fast], join(folder, 'root')));
    }),
    'root',
  );
}

/** The folder in which firmware, kernel and busybox are unpacked; made once. */
export function bootFiles() {
  return join(
    cached('boot', [SUITE, ...BOOT_PACKAGES], (folder) => {
      say("Fetching the Raspberry Pi's firmware and a kernel ...");
      run('mmdebstrap', bootstrap('extract', BOOT_PACKAGES, [], join(folder, 'boot')).slice(1));
    }),
    'boot',
  );
}

/** The release of the kernel in there: `6.12.90+deb13-arm64`. */
export function kernelRelease(boot) {
  const [release] = readdirSync(join(boot, 'usr/lib/modules'));
  return String(release);
}

/** A copy of the root file system with the device's package installed, in a folder that is made. */
export function installedRoot(packageFile, folder) {
  const base = debianRoot();
  say("Installing the device's package ...");
  run('cp', ['--archive', base, folder]);
  mkdirSync(join(folder, 'boot/firmware'), { recursive: true });
  run('cp', [packageFile, join(folder, 'tmp/relaygate-device.deb')]);
  const script = `
    mount -t proc proc "$1/proc"
    chroot "$1" dpkg --force-unsafe-io -i /tmp/relaygate-device.deb
    chroot "$1" sh -c 'cd /usr/lib/relaygate/device-agent && ../bin/node -e "$0"' "$2"`;
  const path = 'PATH=/usr/sbin:/usr/bin:/sbin:/bin';
  runInArm64(['env', path, 'sh', '-e', '-c', script, 'sh', folder, LOAD_NATIVE_PARTS]);
  run('rm', [join(folder, 'tmp/relaygate-device.deb')]);
}

function bootstrap(variant, packages, options, folder) {
  const source = `deb [signed-by=${KEYRING}] ${archiveUrl()} ${SUITE} main non-free-firmware`;
  const included = `--include=${packages.join(',')}`;
  return [
    'mmdebstrap',
    '--mode=root',
    '--architectures=arm64',
    `--variant=${variant}`,
    included,
    ...options,
    SUITE,
  ].concat(folder, source);
}

/** The mirror that this machine uses itself is the one that it surely reaches. */
function archiveUrl() {
  if (!existsSync('/usr/bin/apt-get')) return ARCHIVE;
  const args = ['indextargets', '--format', '$(ORIGIN) $(REPO_URI)', 'Created-By: Packages'];
  const [, own] = run('apt-get', args).match(/^Debian (\S+\/debian)\/?$/m) ?? [];
  return own ?? ARCHIVE;
}
