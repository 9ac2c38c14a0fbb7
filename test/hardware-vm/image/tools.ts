/** The programs that the emulated machines need on this one, and the Debian packages that bring them. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const PACKAGES: Readonly<Record<string, string>> = {
  'qemu-system-aarch64': 'qemu-system-arm',
  cpio: 'cpio',
  setpriv: 'util-linux',
  xz: 'xz-utils',
  openssl: 'openssl',
  'aarch64-linux-gnu-g++': 'g++-aarch64-linux-gnu',
  make: 'make',
  python3: 'python3',
  'apt-get': 'apt',
  'dpkg-deb': 'dpkg',
};

export function missingPackages(): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const isThere = (program: string): boolean => folders.some((folder) => existsSync(join(folder, program)));
  return Object.entries(PACKAGES).flatMap(([program, debianPackage]) => (isThere(program) ? [] : [debianPackage]));
}

/** What is missing, for `describeWhere`; undefined when all is there. */
export function missingTools(): string | undefined {
  const packages = missingPackages();
  return packages.length === 0 ? undefined : `Debian packages are missing: ${packages.join(' ')}`;
}
