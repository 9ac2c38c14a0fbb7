import type { BoardSettings } from '@relaygate/shared/device';
import { GpioBoard } from '../gpio-board';
import { kernelGpio } from '../kernel-gpio';
import { inactiveLines, offOrder } from '../off-orders';
import type { RelayBoard } from '../relay-board';

export function gpioKind({ chip, lines, inputs = [] }: Extract<BoardSettings, { kind: 'gpio' }>): RelayBoard {
  return {
    driver: ({ clock }) => new GpioBoard({ kernel: kernelGpio(), clock, chip, offsets: lines, inputs }),
    offOrders: (outputs) => offOrder('gpio', inactiveLines(lines, outputs), chip ?? ''),
  };
}
