/**
 * What switches a board off without its guard: lines of text for the shell script that systemd runs when the guard has
 * ended in whatever way (hardware/package/files/outputs-off), for a relay does not go off by itself then (I4).
 *
 *     gpio <TAB> 17=0 27=1 <TAB> label of the chip, empty: that of the header
 *     sysfs <TAB> the same
 *     serial <TAB> port <TAB> baud <TAB> parity <TAB> a frame each, in hex
 */
import { type BoardSettings, DEFAULT_BAUD, type Level, type OutputSettings } from '@relaygate/shared';
import { switchFrame } from './serial/lcus-frames';
import { writeCoil } from './serial/modbus-frames';

/** Empty for a board that is no hardware. */
export function offOrders(board: BoardSettings, outputs: readonly Pick<OutputSettings, 'activeLevel'>[]): string {
  switch (board.kind) {
    case 'gpio':
      return line('gpio', inactiveLines(board.lines, outputs), board.chip ?? '');
    case 'gpio-sysfs':
      return line('sysfs', inactiveLines(board.lines, outputs), board.chip ?? '');
    case 'modbus': {
      const { port, baud = DEFAULT_BAUD, parity = 'none', units } = board;
      const frames = units.flatMap(({ address, relays }) =>
        Array.from({ length: relays }, (_, coil) => writeCoil(address, coil, 'low').bytes),
      );
      return line('serial', port, String(baud), parity, inHex(frames));
    }
    case 'lcus': {
      const frames = Array.from({ length: board.relays }, (_, relay) => switchFrame(relay, 'low'));
      return line('serial', board.port, String(DEFAULT_BAUD), 'none', inHex(frames));
    }
    case 'simulated':
      return '';
    default:
      return board satisfies never;
  }
}

const line = (...parts: string[]): string => `${parts.join('\t')}\n`;

const inHex = (frames: readonly Uint8Array[]): string =>
  frames.map((bytes) => Buffer.from(bytes).toString('hex')).join(' ');

function inactiveLines(lines: readonly number[], outputs: readonly { activeLevel: Level }[]): string {
  return lines
    .flatMap((offset, n) => {
      const output = outputs[n];
      return output === undefined ? [] : [`${offset}=${output.activeLevel === 'low' ? 1 : 0}`];
    })
    .join(' ');
}
