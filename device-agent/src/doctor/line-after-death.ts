/** What a line does when the process that drives it dies: tried on a line that nothing hangs on, because kernels differ. */

import { newInputRequest } from '../relay/gpio-input-uapi';
import type { GpioKernel } from '../relay/gpio-kernel';
import { GpioLines } from '../relay/gpio-lines';
import { chipNamed } from '../relay/gpio-problem';
import { IOCTL, readRequestFd } from '../relay/gpio-uapi';
import { chipsOf, withChip } from '../relay/kernel-chips';
import { oppositeLevel } from '../runtime/opposite-level';
import type { Check, CheckContext, TestLine } from './check-context';
import { type CheckResult, fail, ok, warn } from './finding';

const CONSUMER = 'relaygate';

export const lineAfterDeath: Check = async ({ settings, machine, testLine }) => {
  if (testLine === null) return warn('death-untested', {});
  const board = settings?.board;
  if (!board || !('lines' in board)) return warn('death-no-lines', {});
  const { inputs = [] } = board;
  if ([...board.lines, ...inputs.map(({ line }) => line)].includes(testLine))
    return fail('death-own-line', { line: testLine });
  const kernel = machine.gpioKernel();
  const chip = chipNamed(chipsOf(kernel), board.chip, [testLine]);
  return board.kind === 'gpio'
    ? triedBy('/dev/gpiochip*', testLine, heldByRequest(machine, kernel, chip, testLine))
    : triedBy('/sys/class/gpio', testLine, machine.sysfsLine(chip.label, testLine));
};

async function triedBy(way: string, testLine: number, line: TestLine): Promise<CheckResult> {
  try {
    const before = line.level();
    const driven = oppositeLevel(before);
    await line.holdAndKill(driven);
    const after = line.level();
    return ok('death-tested', { line: testLine, way, before, driven, after });
  } finally {
    line.giveBack();
  }
}

function heldByRequest(
  machine: CheckContext['machine'],
  kernel: GpioKernel,
  { label, path }: { label: string; path: string },
  offset: number,
): TestLine {
  return {
    level() {
      const lines = GpioLines.request({ kernel, chip: label, offsets: [offset] });
      try {
        return lines.read(0);
      } finally {
        lines.close();
      }
    },
    holdAndKill: (level) => machine.holdAndKill(label, offset, level),
    // Nobody else has this line, so it would stay driven for good.
    giveBack: () =>
      withChip(kernel, path, (chip) => {
        const request = newInputRequest([{ line: offset }], CONSUMER);
        kernel.ioctl(chip, IOCTL.requestLines, request);
        kernel.close(readRequestFd(request));
      }),
  };
}
