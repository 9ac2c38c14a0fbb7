/** The device trees of the image: the kernel takes no line of the header before the guard does. I5. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { describeWhere, missingProgram } from '../support/needs';
import { ROOT } from '../support/processes';

const MODULE = pathToFileURL(join(ROOT, 'hardware/image/device-trees.mjs')).href;

/** As Debian has them: that of the Zero 2 W makes BCM 6 an output and gives others to clocks and SPI. */
const tree = (claim: string) => `/dts-v1/;
  / {
    soc {
      gpio: gpio@7e200000 {
        compatible = "brcm,bcm2835-gpio";
        ${claim}
        gpioout: gpioout { brcm,pins = <6>; brcm,function = <1>; };
      };
    };
  };`;
const CLAIM = 'pinctrl-names = "default"; pinctrl-0 = <&gpioout>;';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rg-trees-'));
  for (const name of ['from', 'to']) mkdirSync(join(folder, name));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): void {
  execFileSync('dtc', ['-q', '-@', '-I', 'dts', '-O', 'dtb', '-o', join(folder, 'from', name)], { input: text });
}

function copy(): string {
  const code = `import { writeDeviceTrees } from '${MODULE}'; writeDeviceTrees(process.argv[1], process.argv[2]);`;
  const args = ['--input-type=module', '-e', code, join(folder, 'from'), join(folder, 'to')];
  return spawnSync(process.execPath, args, { encoding: 'utf8' }).stderr;
}

const propertiesOf = (name: string) =>
  execFileSync('fdtget', ['-p', join(folder, 'to', name), '/soc/gpio@7e200000'], { encoding: 'utf8' });

describeWhere(missingProgram('fdtput', 'device-tree-compiler'))('the device trees of the image', () => {
  test('leave the lines of the header to the guard, and are those of Raspberry Pis', () => {
    write('bcm2837-rpi-zero-2-w.dtb', tree(CLAIM));
    write('bcm2837-rpi-3-b.dtb', tree(''));
    write('bcm4908-asus-gt-ac5300.dtb', tree(''));
    expect(copy()).toBe('');
    expect(readdirSync(join(folder, 'to')).sort()).toEqual(['bcm2837-rpi-3-b.dtb', 'bcm2837-rpi-zero-2-w.dtb']);
    expect(propertiesOf('bcm2837-rpi-zero-2-w.dtb')).toBe(propertiesOf('bcm2837-rpi-3-b.dtb'));
    expect(propertiesOf('bcm2837-rpi-zero-2-w.dtb')).not.toContain('pinctrl');
  });
});
