/** What the emulated machines need on this one, programs and files, and the Debian packages that bring it. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const PACKAGES: Readonly<Record<string, string>> = {
  'qemu-system-aarch64': 'qemu-system-arm',
  'qemu-system-x86_64': 'qemu-system-x86',
  cpio: 'cpio',
  setpriv: 'util-linux',
  xz: 'xz-utils',
  openssl: 'openssl',
  gcc: 'gcc',
  '/usr/include/modbus/modbus.h': 'libmodbus-dev',
  socat: 'socat',
  tar: 'tar',
  'aarch64-linux-gnu-g++': 'g++-aarch64-linux-gnu',
  make: 'make',
  python3: 'python3',
  // The checker of the kernel's own build is linked against it.
  '/usr/lib/x86_64-linux-gnu/libelf.so.1': 'libelf-dev',
  '/usr/share/keyrings/debian-archive-keyring.gpg': 'debian-archive-keyring',
  'apt-get': 'apt',
  'dpkg-deb': 'dpkg',
};

export function missingPackages(): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const isThere = (name: string): boolean =>
    name.startsWith('/') ? existsSync(name) : folders.some((folder) => existsSync(join(folder, name)));
  return Object.entries(PACKAGES).flatMap(([name, debianPackage]) => (isThere(name) ? [] : [debianPackage]));
}

/** What is missing, for `describeWhere`; undefined when all is there. */
export function missingTools(): string | undefined {
  const packages = missingPackages();
  return packages.length === 0 ? undefined : `Debian packages are missing: ${packages.join(' ')}`;
}
