import { nodeSerial } from '@relaygate/device-agent/platform/node-serial';
import { preciseClock } from '@relaygate/device-agent/platform/precise-clock';
import type { RelayDriver } from '@relaygate/device-agent/relay/relay-driver';
import { ModbusUnits } from '@relaygate/device-agent/relay/serial-boards/modbus-units';
import { SerialBoard } from '@relaygate/device-agent/relay/serial-boards/serial-board';
import type { OpenSerial, SerialConnection } from '@relaygate/device-agent/serial/serial-port';
import { MODBUS_ANSWER_MAX_MS, MODBUS_POLL_MS } from '@relaygate/shared';
import { systemClock } from '@relaygate/shared/system';

interface Unit {
  address: number;
  relays: number;
  flashOn: boolean;
  inputs?: number;
}

/** A driver, and how its process would be killed: its files close, and it hears no more. */
export function newModbusBoard(
  port: string,
  units: readonly Unit[],
  answerMs: number = MODBUS_ANSWER_MAX_MS,
  watched: readonly number[] = [],
): { board: RelayDriver; kill(): Promise<void> } {
  const open = nodeSerial();
  const connections: SerialConnection[] = [];
  const recorded: OpenSerial = async (settings, listener) => {
    const connection = await open(settings, listener);
    connections.push(connection);
    return connection;
  };
  const board = new SerialBoard({
    open: recorded,
    clock: preciseClock,
    settings: { path: port, baud: 9_600, parity: 'none' },
    protocol: new ModbusUnits({ clock: preciseClock, baud: 9_600, units, answerMs }),
    polls: { watched, everyMs: MODBUS_POLL_MS, clock: systemClock },
  });
  return { board, kill: async () => void (await Promise.all(connections.map((connection) => connection.close()))) };
}
