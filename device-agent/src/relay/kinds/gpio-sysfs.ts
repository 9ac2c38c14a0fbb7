import type { BoardSettings } from '@relaygate/shared/device';
import { inactiveLines, offOrder } from '../off-orders';
import { onoffGpio, SYSFS_EXPORT } from '../onoff-gpio';
import type { RelayBoard } from '../relay-board';
import { SysfsBoard } from '../sysfs-board';

export function gpioSysfsKind({ chip, lines }: Extract<BoardSettings, { kind: 'gpio-sysfs' }>): RelayBoard {
  return {
    driver: ({ clock, lockByte }) =>
      new SysfsBoard({
        gpio: onoffGpio(),
        lock: (number) => lockByte(SYSFS_EXPORT, number),
        clock,
        chip,
        offsets: lines,
      }),
    offOrders: (outputs) => offOrder('sysfs', inactiveLines(lines, outputs), chip ?? ''),
  };
}
