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
import { DEFAULT_BAUD, MODBUS_ANSWER_MS } from '@relaygate/shared';
import type { BoardSettings, Level, OutputSettings } from '@relaygate/shared/device';
import { modbusOffAnswerMs } from './off-time';
import { switchFrame } from './serial/lcus-frames';
import { coilsOff, writeCoil } from './serial/modbus-frames';

type ModbusBoard = Extract<BoardSettings, { kind: 'modbus' }>;

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
    case 'modbus': {
      const { port, baud = DEFAULT_BAUD, parity = 'none', answerMs = MODBUS_ANSWER_MS } = board;
      const frames = unitsInOrder(board, urgent).map(unitOff).join(' ');
      return line('serial', port, String(baud), parity, frames, String(modbusOffAnswerMs(board)), String(answerMs));
    }
    case 'lcus': {
      const frames = Array.from({ length: board.relays }, (_, relay) => inHex(switchFrame(relay, 'low'))).join(' ');
      return line('serial', board.port, String(DEFAULT_BAUD), 'none', frames);
    }
    case 'simulated':
      return '';
    default:
      return board satisfies never;
  }
}

const line = (...parts: string[]): string => `${parts.join('\t')}\n`;

const inHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

function inactiveLines(lines: readonly number[], outputs: readonly { activeLevel: Level }[]): string {
  return lines
    .flatMap((offset, n) => {
      const output = outputs[n];
      return output === undefined ? [] : [`${offset}=${output.activeLevel === 'low' ? 1 : 0}`];
    })
    .join(' ');
}

function unitsInOrder({ units }: ModbusBoard, urgent: readonly number[]): ModbusBoard['units'] {
  const unitOfOutput = units.flatMap((unit) => Array.from({ length: unit.relays }, () => unit));
  const first = urgent.flatMap((numOutput) => unitOfOutput[numOutput] ?? []);
  return [...new Set([...first, ...units])];
}

/** One frame for all relays; a frame each for a board that does not know it. */
function unitOff({ address, relays }: ModbusBoard['units'][number]): string {
  const { bytes, expected } = coilsOff(address, 0, relays);
  const oneByOne = Array.from({ length: relays }, (_, coil) => inHex(writeCoil(address, coil, 'low').bytes));
  return [inHex(bytes), inHex(expected.echo ?? bytes), oneByOne.join(',')].join(':');
}
