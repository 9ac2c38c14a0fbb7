import { type Clock, DEFAULT_BAUD, MODBUS_ANSWER_MS } from '@relaygate/shared';
import type { BoardSettings } from '@relaygate/shared/device';
import type { OpenSerial } from '../../serial/serial-port';
import type { RelayDriver } from '../relay-driver';
import { LcusRelays } from './lcus-relays';
import { ModbusUnits } from './modbus-units';
import { SerialBoard } from './serial-board';

/** The relays of boards behind a serial port of this machine. */
export function serialDriver(
  board: Extract<BoardSettings, { kind: 'modbus' | 'lcus' }>,
  open: OpenSerial,
  clock: Clock,
): RelayDriver {
  if (board.kind === 'lcus') {
    const settings = { path: board.port, baud: DEFAULT_BAUD, parity: 'none' } as const;
    return new SerialBoard({ open, clock, settings, protocol: new LcusRelays(board.relays) });
  }
  const { port: path, baud = DEFAULT_BAUD, parity = 'none', answerMs = MODBUS_ANSWER_MS } = board;
  const units = board.units.map((unit) => ({ ...unit, flashOn: unit.flashOn ?? false }));
  const protocol = new ModbusUnits({ clock, baud, units, answerMs });
  return new SerialBoard({ open, clock, settings: { path, baud, parity }, protocol });
}
