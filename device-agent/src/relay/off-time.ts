/** Within what time a board is off whose guard was killed (I4). */

import type { BoardSettings } from '@relaygate/shared/device';
import { DEFAULT_BAUD, MODBUS_ANSWER_MS } from '@relaygate/shared/limits';
import { coilsOff, gapMs, wireMs } from './serial-boards/modbus-frames';

/**
 * If a board has not begun its answer by then, it is asked again after all others, so that a silent board does not keep
 * them on.
 */
const OFF_ANSWER_MS = 60;
/** How long it takes until the first frame leaves: systemd starts the script, which opens the port. */
const OFF_START_MS = 200;

type ModbusBoard = Extract<BoardSettings, { kind: 'modbus' }>;

export function modbusOffAnswerMs({ answerMs = MODBUS_ANSWER_MS }: ModbusBoard): number {
  return Math.min(answerMs, OFF_ANSWER_MS);
}

/** I4, if the bus is fast enough. */
const OFF_WITHIN_MS = 1_000;

export interface LateOff {
  port: string;
  boards: number;
  baud: number;
  /** The last relay is off by then. */
  withinMs: number;
}

/** null: all relays are off within 1 s. */
export function lateOff(board: BoardSettings): LateOff | null {
  if (board.kind !== 'modbus') return null;
  const { port, baud = DEFAULT_BAUD, units } = board;
  const withinMs = modbusOffMs(board);
  return withinMs <= OFF_WITHIN_MS ? null : { port, baud, withinMs, boards: units.length };
}

/** The time if every board is silent, or answers at the last moment; rounded up to 100 ms. */
function modbusOffMs(board: ModbusBoard): number {
  const { baud = DEFAULT_BAUD, units } = board;
  const unitsMs = units.map(({ address, relays }) => {
    const { bytes, expected } = coilsOff(address, 0, relays);
    return wireMs(bytes.length + expected.sizeBytes, baud) + modbusOffAnswerMs(board) + gapMs(baud);
  });
  const allMs = unitsMs.reduce((sumMs, unitMs) => sumMs + unitMs, OFF_START_MS);
  return Math.ceil(allMs / 100) * 100;
}
