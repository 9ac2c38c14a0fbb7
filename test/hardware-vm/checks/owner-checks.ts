/** Lines of the character device belong to one process, whoever else wants them. */
import { expect, test } from '@jest/globals';
import type { EmulatedDevice } from '../machine/emulated-device';
import { HEATING, lineOf } from './lines';
import { report } from './report';

/** As a shell script: `n` is the number that sysfs gives the line; each kernel counts from another base. */
const FIND_LINE = `
  for chip in /sys/class/gpio/gpiochip*; do
    grep -q pinctrl-bcm2835 $chip/label && n=$(( $(cat $chip/base) + ${lineOf(HEATING).pin} ))
  done`;

/** Nothing runs yet. */
export function describeForeignLine(pi: () => EmulatedDevice): void {
  test('somebody else has a line: the guard does not start, says who, and drives none of the others', async () => {
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
}
