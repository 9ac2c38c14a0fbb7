import { inactiveLines, offOrder } from '../off-orders';
import { onoffGpio, SYSFS_EXPORT } from '../onoff-gpio';
import type { BoardKind } from '../relay-board';
import { SysfsBoard } from '../sysfs-board';

export const kind: BoardKind<'gpio-sysfs'> = ({ chip, lines, inputs = [] }) => {
  return {
    driver: ({ clock, slackClock, lockByte }, _outputs, watched = []) =>
      new SysfsBoard({
        gpio: onoffGpio(),
        lock: (number) => lockByte(SYSFS_EXPORT, number),
        clock,
        slackClock,
        chip,
        offsets: lines,
        inputs,
        watched,
      }),
    offOrders: (outputs) => offOrder('sysfs', inactiveLines(lines, outputs), chip ?? ''),
  };
};
