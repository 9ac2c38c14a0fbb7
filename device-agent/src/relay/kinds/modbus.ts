import type { BoardSettings } from '@relaygate/shared/device';
import { DEFAULT_BAUD, MODBUS_ANSWER_MS, MODBUS_POLL_MS } from '@relaygate/shared/limits';
import { inHex, offOrder } from '../off-orders';
import { lateOff, modbusOffAnswerMs } from '../off-time';
import type { BoardKind } from '../relay-board';
import { coilsOff, writeCoil } from '../serial-boards/modbus-frames';
import { ModbusUnits } from '../serial-boards/modbus-units';
import { SerialBoard } from '../serial-boards/serial-board';

type ModbusBoard = Extract<BoardSettings, { kind: 'modbus' }>;

export const kind: BoardKind<'modbus'> = (board) => {
  const { port, baud = DEFAULT_BAUD, parity = 'none', answerMs = MODBUS_ANSWER_MS } = board;
  return {
    driver({ clock, slackClock, openSerial }, _outputs, watched = []) {
      const units = board.units.map((unit) => ({ ...unit, flashOn: unit.flashOn ?? false }));
      const protocol = new ModbusUnits({ clock, baud, units, answerMs });
      const settings = { path: port, baud, parity };
      const polls = { watched, everyMs: board.pollMs ?? MODBUS_POLL_MS, clock: slackClock };
      return new SerialBoard({ open: openSerial(), clock, settings, protocol, polls });
    },
    offOrders(_outputs, urgent = []) {
      const frames = unitsInOrder(board, urgent).map(unitOff).join(' ');
      return offOrder('serial', port, String(baud), parity, frames, String(modbusOffAnswerMs(board)), String(answerMs));
    },
    lateOff() {
      const late = lateOff(board);
      if (late === null) return null;
      return (
        `if this guard is killed its relays are off within ${late.withinMs / 1_000} s, not 1 s: ${late.boards} boards at ${late.baud} baud ` +
        `on ${late.port}. Fewer boards on a port or a higher baud rate shorten it`
      );
    },
  };
};

function unitsInOrder({ units }: ModbusBoard, urgent: readonly number[]): ModbusBoard['units'] {
  const unitOfOutput = units.flatMap((unit) => Array.from({ length: unit.relays }, () => unit));
  const first = urgent.flatMap((numOutput) => unitOfOutput[numOutput] ?? []);
  return [...new Set([...first, ...units])];
}

/** One frame for all relays, or a frame for each if the board does not know that one. */
function unitOff({ address, relays }: ModbusBoard['units'][number]): string {
  const { bytes, expected } = coilsOff(address, 0, relays);
  const oneByOne = Array.from({ length: relays }, (_, coil) => inHex(writeCoil(address, coil, 'low').bytes));
  return [inHex(bytes), inHex(expected.echo ?? bytes), oneByOne.join(',')].join(':');
}
