// What the kernel starts with: busybox, the modules that reach the card, and `init` beside this file.
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { run } from '../package/workshop.mjs';

const INIT = fileURLToPath(new URL('init', import.meta.url));
/** Cards of a Raspberry Pi Zero 2, 3 and 4; what is not there is built in, or not of this kernel. */
const MODULES = [
  ...['bcm2835-dma', 'clk-raspberrypi', 'reset-raspberrypi', 'gpio-raspberrypi-exp', 'gpio-regulator', 'fixed'],
  ...['bcm2835', 'sdhci-iproc', 'sdhci-brcmstb', 'mmc_block', 'crc32c_generic', 'ext4'],
];
const TEXT = 'latin1';

/** `root`: has the modules and their list of dependencies. `boot`: has busybox. Returns the compressed archive. */
export function initramfs({ root, boot, release, scratch }) {
  const tree = join(scratch, 'initramfs');
  for (const folder of ['bin', 'dev', 'proc', 'sys', 'root', 'modules'])
    mkdirSync(join(tree, folder), { recursive: true });
  copyFileSync(join(boot, 'usr/bin/busybox'), join(tree, 'bin/busybox'));
  copyFileSync(INIT, join(tree, 'init'));
  for (const program of ['bin/busybox', 'init']) chmodSync(join(tree, program), 0o755);
  const modules = join(root, 'usr/lib/modules', release);
  for (const [n, file] of inLoadingOrder(modules).entries()) {
    const name = basename(file).replace(/\.xz$/, '');
    const to = join(tree, 'modules', `${String(n + 1).padStart(2, '0')}-${name}`);
    if (file.endsWith('.xz'))
      writeFileSync(to, Buffer.from(run('xz', ['-dc', join(modules, file)], { encoding: TEXT }), TEXT));
    else copyFileSync(join(modules, file), to);
  }
  const script =
    'find . -mindepth 1 -print0 | sort -z | cpio --null --create --format=newc --owner=0:0 --quiet > ../initramfs.cpio';
  run('sh', ['-c', script], { cwd: tree });
  return gzipSync(readFileSync(join(dirname(tree), 'initramfs.cpio')));
}

/** Each after what it needs. */
function inLoadingOrder(modules) {
  const needs = new Map();
  for (const line of readFileSync(join(modules, 'modules.dep'), 'utf8').split('\n')) {
    const [file, others = ''] = line.split(':');
    if (file)
      needs.set(
        file,
        others.split(' ').filter((other) => other !== ''),
      );
  }
  const byName = new Map([...needs.keys()].map((file) => [nameOf(file), file]));
  const ordered = new Set();
  for (const name of MODULES) {
    const file = byName.get(nameOf(`${name}.ko`));
    if (file === undefined) continue;
    // modules.dep names the nearest first.
    for (const other of [...(needs.get(file) ?? [])].reverse()) ordered.add(other);
    ordered.add(file);
  }
  return [...ordered];
}

/** The kernel takes `-` and `_` in a module's name for the same. */
const nameOf = (file) =>
  basename(file)
    .replace(/\.ko(\.xz)?$/, '')
    .replaceAll('-', '_');
