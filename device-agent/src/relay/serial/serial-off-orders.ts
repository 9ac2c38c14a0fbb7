import type { BoardSettings } from '@relaygate/shared/device';
import { DEFAULT_BAUD, MODBUS_ANSWER_MS } from '@relaygate/shared/limits';
import { modbusOffAnswerMs } from '../off-time';
import { switchFrame } from './lcus-frames';
import { coilsOff, writeCoil } from './modbus-frames';

type ModbusBoard = Extract<BoardSettings, { kind: 'modbus' }>;
type SerialBoard = Extract<BoardSettings, { kind: 'modbus' | 'lcus' }>;

/** What stands in the line of a serial board (off-orders.ts), behind its first word. */
export function serialOffOrders(board: SerialBoard, urgent: readonly number[]): string[] {
  if (board.kind === 'lcus') {
    const frames = Array.from({ length: board.relays }, (_, relay) => inHex(switchFrame(relay, 'low'))).join(' ');
    return [board.port, String(DEFAULT_BAUD), 'none', frames];
  }
  const { port, baud = DEFAULT_BAUD, parity = 'none', answerMs = MODBUS_ANSWER_MS } = board;
  const frames = unitsInOrder(board, urgent).map(unitOff).join(' ');
  return [port, String(baud), parity, frames, String(modbusOffAnswerMs(board)), String(answerMs)];
}

const inHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

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
