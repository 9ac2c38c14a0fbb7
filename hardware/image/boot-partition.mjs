// What the Raspberry Pi's firmware reads: itself, the kernel, and texts for a person with an editor.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { say } from '../package/workshop.mjs';
import { writeDeviceTrees } from './device-trees.mjs';
import { initramfs } from './initramfs.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const TEXTS = ['config.txt', 'cmdline.txt'];
const FIRMWARE = /^(bootcode\.bin|start.*\.elf|fixup.*\.dat)$/;

/** Fills the folder `partition`. */
export function writeBootPartition({ partition, root, boot, release, scratch }) {
  say('Making what the kernel starts with ...');
  mkdirSync(partition);
  const firmware = join(boot, 'usr/lib/raspi-firmware');
  for (const file of readdirSync(firmware).filter((name) => FIRMWARE.test(name)))
    copyFileSync(join(firmware, file), join(partition, file));
  writeDeviceTrees(join(boot, 'usr/lib', `linux-image-${release}`, 'broadcom'), partition);
  copyFileSync(join(boot, 'boot', `vmlinuz-${release}`), join(partition, 'vmlinuz'));
  writeFileSync(join(partition, 'initrd.img'), initramfs({ root, boot, release, scratch }));
  for (const name of TEXTS) writeFileSync(join(partition, name), readFileSync(join(HERE, name)));
  writeFileSync(
    join(partition, 'relaygate-board.txt'),
    '# The levels of the lines of your board before the guard runs: relayctl board show NAME\n',
  );
}
