/** Lines of the character device belong to one process, whoever else wants them. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { EmulatedPi } from '../machine/emulated-pi';
import { HEATING, lineOf, setupOf } from './lines';
import { report } from './report';

/** As a shell script: `n` is the number that sysfs gives the line; each kernel counts from another base. */
const FIND_LINE = `
  for chip in /sys/class/gpio/gpiochip*; do
    grep -q pinctrl-bcm2835 $chip/label && n=$(( $(cat $chip/base) + ${lineOf(HEATING).pin} ))
  done`;

export function describeOwners(pi: () => EmulatedPi): void {
  describe('one line, two who want it', () => {
    beforeAll(() => pi().setUp(setupOf('gpio')));

    test('the guard has it: the kernel keeps everybody else from it', async () => {
      await pi().start('relaygate-guard');
      const { code, stderr } = await pi().shell.try(`${FIND_LINE}; echo $n > /sys/class/gpio/export`);
      await pi().stopAll();
      expect(code).not.toBe(0);
      expect(stderr).toContain('busy');
    });

    test('somebody else has it: the guard does not start, says who, and drives none of the other lines', async () => {
      await pi().shell.run(`${FIND_LINE}; echo $n > /sys/class/gpio/export`);
      await pi().trace.forget();
      const { code, stdout } = await pi().tryStart('relaygate-guard');
      const orders = await pi().trace.orders();
      await pi().shell.run(`${FIND_LINE}; echo $n > /sys/class/gpio/unexport`);
      report(`line held by sysfs: ${stdout.trim()}`);
      expect(code).not.toBe(0);
      expect(stdout).toMatch(/board-busy: .*line 17 by "sysfs"/);
      expect(orders).toEqual([]);
    });
  });
}
