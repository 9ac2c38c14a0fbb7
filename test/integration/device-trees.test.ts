/** The device trees of the image: nothing takes a relay's line before the guard does. I5. BCM 0 to 3 stay I2C's, 14 and 15 the UART's. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, expect, test } from '@jest/globals';
import { folderForEach } from '../support/processes/fresh-folder';
import { missingProgram } from '../support/processes/missing-program';
import { describeWhere } from '../support/processes/needs';
import { ROOT } from '../support/processes/program';

const MODULE = pathToFileURL(join(ROOT, 'hardware/image/device-trees.mjs')).href;
const ZERO_2 = 'bcm2837-rpi-zero-2-w.dtb';
const PI_3 = 'bcm2837-rpi-3-b.dtb';
const NEEDED = [
  ...['bcm2711-rpi-4-b.dtb', 'bcm2711-rpi-400.dtb', 'bcm2837-rpi-3-a-plus.dtb', 'bcm2837-rpi-3-b-plus.dtb'],
  ...[PI_3, ZERO_2],
];
const CONTROLLER = '/soc/gpio@7e200000';

interface TreeText {
  claim?: string;
  compatible?: string;
  label?: string;
  hog?: string;
  device?: string;
}
/** As Debian has them: that of the Zero 2 W makes BCM 6 an output and gives others to clocks and SPI. */
const tree = ({ claim = '', compatible = 'brcm,bcm2835-gpio', label = 'gpio', hog = '', device = '' }: TreeText = {}) =>
  `/dts-v1/;
  / {
    soc {
      ${label}: gpio@7e200000 {
        compatible = "${compatible}";
        ${claim}
        gpioout: gpioout { brcm,pins = <6>; brcm,function = <1>; };
        gpclk1: gpclk1 { pins-gpclk { pins = "gpio5"; function = "alt0"; }; };
        i2c0: i2c0 { brcm,pins = <0 1>; brcm,function = <4>; };
        uart1: uart1 { brcm,pins = <14 15>; brcm,function = <2>; };
        ${hog}
      };
      serial { pinctrl-names = "default"; pinctrl-0 = <&uart1>; status = "okay"; };
      i2c { pinctrl-names = "default"; pinctrl-0 = <&i2c0>; };
      ${device}
    };
  };`;
const CLAIM = 'pinctrl-names = "default"; pinctrl-0 = <&gpioout &gpclk1>;';

const folder = folderForEach('rg-trees-');
beforeEach(() => {
  for (const name of ['from', 'to']) mkdirSync(join(folder, name));
});

function write(name: string, text: string, symbols = ['-@']): void {
  const args = ['-q', ...symbols, '-I', 'dts', '-O', 'dtb', '-o', join(folder, 'from', name)];
  execFileSync('dtc', args, { input: text });
}

function writeAll(): void {
  for (const name of NEEDED) write(name, tree());
}

function copy(): string {
  const code = `import { orExplain } from '${pathToFileURL(join(ROOT, 'hardware/package/workshop.mjs')).href}';
    import { writeDeviceTrees } from '${MODULE}';
    await orExplain(() => writeDeviceTrees(process.argv[1], process.argv[2]));`;
  const args = ['--input-type=module', '-e', code, join(folder, 'from'), join(folder, 'to')];
  return spawnSync(process.execPath, args, { encoding: 'utf8' }).stderr.trim();
}

const propertiesOf = (name: string) =>
  execFileSync('fdtget', ['-p', join(folder, 'to', name), CONTROLLER], { encoding: 'utf8' });

describeWhere(missingProgram('fdtput', 'device-tree-compiler'))('the device trees of the image', () => {
  beforeEach(writeAll);

  test('leave the lines of relays to the guard, and are those of Raspberry Pis', () => {
    write(ZERO_2, tree({ claim: CLAIM }));
    write('bcm4908-asus-gt-ac5300.dtb', tree());
    expect(copy()).toBe('');
    expect(readdirSync(join(folder, 'to')).sort()).toEqual([...NEEDED].sort());
    expect(propertiesOf(ZERO_2)).toBe(propertiesOf(PI_3));
    expect(propertiesOf(ZERO_2)).not.toContain('pinctrl');
  });

  test.each<[string, TreeText, string[]]>([
    ['names nothing', {}, []],
    ['names the controller otherwise', { label: 'pinctrl' }, ['-@']],
    ['is of another chip', { compatible: 'brcm,bcm2711-gpio' }, ['-@']],
  ])('are freed also where one %s', (_, text, symbols) => {
    write(ZERO_2, tree({ claim: CLAIM, ...text }), symbols);
    expect(copy()).toBe('');
    expect(propertiesOf(ZERO_2)).not.toContain('pinctrl');
  });

  test.each<[string, TreeText, RegExp]>([
    ['has no controller', { compatible: 'brcm,new' }, /has no GPIO controller/],
    [
      'gives a line to a device',
      { device: 'clock { pinctrl-names = "default"; pinctrl-0 = <&gpclk1>; };' },
      /\/soc\/clock takes BCM 5 before/,
    ],
    [
      'drives a line by itself',
      { hog: 'lamp { gpio-hog; gpios = <6 0>, <17 1>; output-low; };' },
      /\/lamp takes BCM 6, 17 before/,
    ],
  ])('make no image where one %s', (_, text, problem) => {
    write(ZERO_2, tree(text));
    expect(copy()).toMatch(problem);
    expect(copy()).toMatch(/^bcm2837-rpi-zero-2-w\.dtb.*$/);
  });

  test('may describe devices that are off', () => {
    write(
      ZERO_2,
      tree({ device: 'off { status = "disabled"; clock { pinctrl-names = "default"; pinctrl-0 = <&gpclk1>; }; };' }),
    );
    expect(copy()).toBe('');
  });

  test('make no image where that of a board is missing', () => {
    rmSync(join(folder, 'from', ZERO_2));
    rmSync(join(folder, 'from', PI_3));
    expect(copy()).toMatch(/ lacks bcm2837-rpi-3-b\.dtb, bcm2837-rpi-zero-2-w\.dtb: a card would not boot there\.$/);
    expect(readdirSync(join(folder, 'to'))).toEqual([]);
  });

  test('make no image where one is cut short', () => {
    writeFileSync(join(folder, 'from', ZERO_2), '');
    expect(copy()).toMatch(/bcm2837-rpi-zero-2-w\.dtb cannot be read: it is no device tree\.$/);
  });

  test('may be one of a Raspberry Pi 5, whose lines are of another chip', () => {
    write('bcm2712-rpi-5-b.dtb', tree({ compatible: 'brcm,brcmstb-gpio' }));
    expect(copy()).toBe('');
  });
});
