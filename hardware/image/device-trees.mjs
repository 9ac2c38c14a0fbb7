// Debian's device trees of the Raspberry Pis, which the firmware hands to the kernel.
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BuildError, run } from '../package/workshop.mjs';
import { cellsOf, nodesOf, textsOf } from './device-tree-blob.mjs';

const TREES = /^bcm2(71|83)\d-rpi-.*\.dtb$/;
/** Of the boards that the image is for. */
const NEEDED = [
  ...['bcm2711-rpi-4-b.dtb', 'bcm2711-rpi-400.dtb', 'bcm2837-rpi-3-a-plus.dtb', 'bcm2837-rpi-3-b.dtb'],
  ...['bcm2837-rpi-3-b-plus.dtb', 'bcm2837-rpi-zero-2-w.dtb'],
];
/** The lines of a Raspberry Pi 5, for which the image is not, are those of another chip (RP1), which its tree does not have. */
const WITHOUT_LINES = /^bcm2712-/;
const CONTROLLERS = ['brcm,bcm2835-gpio', 'brcm,bcm2711-gpio'];
const CLAIM = /^pinctrl-(\d+|names)$/;
/** The header without the lines that stay claimed: 0 to 3 are I2C's, which leaves them pulled up, 14 and 15 the UART's. */
const [FIRST, LAST, UART] = [4, 27, [14, 15]];

export const DEVICE_TREE_PROGRAMS = { fdtput: 'device-tree-compiler' };

/**
 * Copies those of the folder `trees` into the folder `partition`, without what takes lines of relays before the guard does (I5):
 * that of the Zero 2 W makes BCM 6 an output, which is low, and gives 4, 5 and 7 to 11 to clocks and SPI. Nothing of ours uses these.
 * Throws `BuildError` where one is missing, or would take lines all the same.
 */
export function writeDeviceTrees(trees, partition) {
  const missing = NEEDED.filter((name) => !existsSync(join(trees, name)));
  if (missing.length > 0) throw new BuildError(`${trees} lacks ${missing.join(', ')}: a card would not boot there.`);
  for (const name of readdirSync(trees).filter((file) => TREES.test(file))) {
    const copy = join(partition, name);
    copyFileSync(join(trees, name), copy);
    if (WITHOUT_LINES.test(name)) continue;
    const { path, properties } = controllerOf(nodesIn(copy), name);
    const claim = [...properties.keys()].filter((property) => CLAIM.test(property));
    if (claim.length > 0) run('fdtput', ['--delete', copy, path, ...claim]);
    refuseClaims(copy, name);
  }
}

function nodesIn(file) {
  try {
    return nodesOf(readFileSync(file));
  } catch (error) {
    throw new BuildError(`${file} cannot be read: ${error.message}.`, { cause: error });
  }
}

function controllerOf(nodes, name) {
  const isController = ({ properties }) =>
    textsOf(properties.get('compatible')).some((one) => CONTROLLERS.includes(one));
  const [controller] = nodes.filter(isController);
  if (controller === undefined)
    throw new BuildError(
      `${name} has no GPIO controller (${CONTROLLERS.join(', ')}): nobody can tell what takes lines.`,
    );
  return controller;
}

/** What the copy says, and not what was meant to be done to it. */
function refuseClaims(copy, name) {
  const nodes = nodesIn(copy);
  const controller = controllerOf(nodes, name);
  for (const node of nodes.filter(isEnabled)) {
    const lines = [...new Set(linesOf(node, nodes, controller))].filter(
      (line) => line >= FIRST && line <= LAST && !UART.includes(line),
    );
    if (lines.length === 0) continue;
    const taken = lines.sort((a, b) => a - b).join(', ');
    throw new BuildError(
      `${name}: ${node.path} takes BCM ${taken} before the guard runs, so no image is made with it.`,
    );
  }
}

function isEnabled({ properties, parent }) {
  const [status = 'okay'] = textsOf(properties.get('status'));
  return (status === 'okay' || status === 'ok') && (parent === null || isEnabled(parent));
}

/** Those that the node's driver gets with it, or that the controller drives for it from the start on (`gpio-hog`). */
function linesOf({ properties, parent }, nodes, controller) {
  const isHog = parent === controller && properties.has('gpio-hog');
  const hogged = isHog ? cellsOf(properties.get('gpios')).filter((_, n) => n % 2 === 0) : [];
  const wanted = [...properties].flatMap(([name, bytes]) =>
    CLAIM.test(name) && name !== 'pinctrl-names' ? cellsOf(bytes) : [],
  );
  const groups = nodes.filter((node) => wanted.includes(cellsOf(node.properties.get('phandle'))[0]));
  return [...hogged, ...groups.flatMap((group) => nodes.filter((node) => isWithin(node, group)).flatMap(pinsOf))];
}

function isWithin(node, group) {
  return node === group || (node.parent !== null && isWithin(node.parent, group));
}

function pinsOf({ properties }) {
  const named = ['pins', 'groups'].flatMap((name) => textsOf(properties.get(name)));
  return [...cellsOf(properties.get('brcm,pins')), ...named.map((name) => Number(/^gpio(\d+)$/.exec(name)?.[1]))];
}
