/** All checks of one boot of the emulated Raspberry Pi. */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { describeWhere } from '../../support/processes/needs';
import { RASPBERRY_PI } from '../image/target';
import { missingTools } from '../image/tools';
import { makeImage } from '../image/vm-image';
import { EmulatedDevice } from '../machine/emulated-device';
import { RASPBERRY_PI_3 } from '../machine/machine-kinds';
import { describeDriver } from './driver-checks';
import { ALL_PINS, LINES } from './lines';
import { report } from './report';

/** With the downloads. */
const BOOT_MS = 20 * 60_000;
const TEST_MS = 6 * 60_000;

/**
 * `persist`: whether the kernel leaves a line driven whose process has died, as Raspberry Pi OS's does (1), or makes it
 * an input again (0).
 */
export function describeRaspberryPi(persist: 0 | 1): void {
  jest.setTimeout(TEST_MS);
  describeWhere(missingTools())(`Raspberry Pi 3, persist_gpio_outputs=${persist}`, () => {
    let booted: EmulatedDevice | undefined;
    const pi = (): EmulatedDevice => {
      if (booted === undefined) throw new Error('the machine has not booted');
      return booted;
    };
    beforeAll(async () => {
      const image = makeImage(RASPBERRY_PI, report);
      booted = await EmulatedDevice.boot(RASPBERRY_PI_3, image, {
        kernelArguments: [`pinctrl_bcm2835.persist_gpio_outputs=${persist}`],
        outputs: LINES.length,
      });
      const [qemu] = execFileSync('qemu-system-aarch64', ['--version'], { encoding: 'utf8' }).split('\n');
      report(`booted in ${(booted.bootMs / 1000).toFixed(1)} s: ${await booted.versions()}; ${qemu}`);
    }, BOOT_MS);
    afterAll(() => booted?.stop());

    test('before the guard starts, no line is driven: nothing energises a relay', async () => {
      expect(await pi().pins.look(...ALL_PINS)).toEqual(LINES.map(() => 'input'));
    });

    // Beside a killed guard's lines, nothing depends on the argument.
    const isWhole = persist === 1;
    describeDriver(pi, { kind: 'gpio', staysDriven: isWhole, powerCuts: isWhole, onlyKilledGuard: !isWhole });
    // Lines of sysfs belong to nobody, so no death frees them.
    if (isWhole) describeDriver(pi, { kind: 'gpio-sysfs', staysDriven: true });
  });
}
