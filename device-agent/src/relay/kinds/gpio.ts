import { GpioBoard } from '../gpio-board';
import { kernelGpio } from '../kernel-gpio';
import { inactiveLines, offOrder } from '../off-orders';
import type { BoardKind } from '../relay-board';

export const kind: BoardKind<'gpio'> = ({ chip, lines, inputs = [] }) => {
  return {
    driver: ({ clock }, _outputs, watched = []) =>
      new GpioBoard({ kernel: kernelGpio(), clock, chip, offsets: lines, inputs, watched }),
    offOrders: (outputs) => offOrder('gpio', inactiveLines(lines, outputs), chip ?? ''),
  };
};
