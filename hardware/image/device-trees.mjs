// Debian's device trees of the Raspberry Pis, which the firmware hands to the kernel.
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../package/workshop.mjs';

const TREES = /^bcm2(71|83)\d-rpi-.*\.dtb$/;
/** What the GPIO controller claims for itself as soon as the kernel has it. */
const CLAIM = ['pinctrl-0', 'pinctrl-names'];

export const DEVICE_TREE_PROGRAMS = { fdtput: 'device-tree-compiler' };

/**
 * Copies those of the folder `trees` into the folder `partition`, without what takes lines of the header before the guard does (I5):
 * that of the Zero 2 W makes BCM 6 an output, which is low, and gives 4, 5 and 7 to 11 to clocks and SPI. Nothing of ours uses these.
 */
export function writeDeviceTrees(trees, partition) {
  for (const name of readdirSync(trees).filter((file) => TREES.test(file))) {
    const copy = join(partition, name);
    copyFileSync(join(trees, name), copy);
    const controller = gpioControllerOf(copy);
    if (controller !== '' && hasClaim(copy, controller)) run('fdtput', ['--delete', copy, controller, ...CLAIM]);
  }
}

/** Empty: the tree names none so, as that of the Raspberry Pi 5. */
function gpioControllerOf(tree) {
  return run('fdtget', ['--default', '', tree, '/__symbols__', 'gpio']).trim();
}

function hasClaim(tree, controller) {
  return run('fdtget', ['--properties', tree, controller]).split('\n').includes(CLAIM[0]);
}
