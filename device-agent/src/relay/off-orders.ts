/**
 * What switches a board off without its guard: lines of text for the shell script that systemd runs when the guard has
 * ended in whatever way (hardware/package/files/usr/lib/relaygate/bin/outputs-off), because a relay does not go off by
 * itself then (I4).
 *
 *     gpio <TAB> 17=0 27=1 <TAB> label of the chip, empty: that of the header
 *     sysfs <TAB> the same
 *     serial <TAB> port <TAB> baud <TAB> parity <TAB> frames <TAB> ms to wait for an answer <TAB> the same once all were asked
 *
 * Frames are in hex, a space between them: `FRAME`; `FRAME:ANSWER`; or `FRAME:ANSWER:FRAME,FRAME...` with what is sent
 * instead if something else is answered.
 */

import type { BoardSettings, Level, OutputSettings } from '@relaygate/shared/device';

/** Empty for a board that is no hardware. The boards of `urgent` outputs come first, in that order. */
export function offOrders(
  board: BoardSettings,
  outputs: readonly Pick<OutputSettings, 'activeLevel'>[],
  urgent: readonly number[] = [],
): string {
  switch (board.kind) {
    case 'gpio':
      return line('gpio', inactiveLines(board.lines, outputs), board.chip ?? '');
    case 'gpio-sysfs':
      return line('sysfs', inactiveLines(board.lines, outputs), board.chip ?? '');
    case 'modbus':
    case 'lcus': {
      // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
      const { serialOffOrders }: typeof import('./serial/serial-off-orders') = require('./serial/serial-off-orders');
      return line('serial', ...serialOffOrders(board, urgent));
    }
    case 'simulated':
      return '';
    default:
      return board satisfies never;
  }
}

const line = (...parts: string[]): string => `${parts.join('\t')}\n`;

function inactiveLines(lines: readonly number[], outputs: readonly { activeLevel: Level }[]): string {
  return lines
    .flatMap((offset, n) => {
      const output = outputs[n];
      return output === undefined ? [] : [`${offset}=${output.activeLevel === 'low' ? 1 : 0}`];
    })
    .join(' ');
}
