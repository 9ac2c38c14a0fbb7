/** The port's contract over Modbus relay boards: the boards by libmodbus, the wires by socat. */
import { beforeAll } from '@jest/globals';
import { preciseClock } from '@relaygate/device-agent/platform/precise-clock';
import type { RelayDriver } from '@relaygate/device-agent/relay/relay-driver';
import { MODBUS_ANSWER_MS, MODBUS_POLL_MS } from '@relaygate/shared';
import type { Level } from '@relaygate/shared/device';
import { compileSlave, ModbusBus, missingForModbus } from '../../support/device/serial/modbus-bus';
import { newModbusBoard } from '../../support/device/serial/modbus-driver';
import { folderForAll } from '../../support/processes/fresh-folder';
import { describeWhere } from '../../support/processes/needs';
import { inputEdgesContract } from './input-edges.contract';
import { relayDriverContract } from './relay-driver.contract';

describeWhere(missingForModbus())('modbus', () => {
  const folder = folderForAll('rg-c-');
  let program = '';
  beforeAll(() => {
    program = compileSlave(folder);
  });

  for (const flashOn of [true, false]) {
    relayDriverContract(`modbus, whose boards ${flashOn ? 'time pulses' : 'do not time pulses'}`, async () => {
      const units = [
        { address: 1, relays: 2, flashOn, inputs: 1 },
        { address: 17, relays: 8, flashOn, inputs: 3 },
      ];
      const bus = await ModbusBus.start(program, units);
      const placeOf = (line: number) => (line < 2 ? { address: 1, relay: line } : { address: 17, relay: line - 2 });
      const kills = new Map<RelayDriver, () => Promise<void>>();
      return {
        lines: 10,
        newDriver() {
          const { board, kill } = newModbusBoard(bus.port, units);
          kills.set(board, kill);
          return board;
        },
        nowMs: () => preciseClock.nowMs(),
        levelOf(line) {
          const { address, relay } = placeOf(line);
          return bus.isOn(address, relay) ? 'high' : 'low';
        },
        edgeAtMs(line) {
          const { address, relay } = placeOf(line);
          return bus.edges(address).findLast(({ output }) => output === relay)?.atMs ?? null;
        },
        readsBack: true,
        readsLines: true,
        drop: (line) => bus.loseSupply(placeOf(line).address),
        keepsLines: true,
        inputs: { count: 4, set: (input, level) => setInput(bus, input, level) },
        kill: async (driver) => kills.get(driver)?.(),
        close: () => bus.end(),
      };
    });
  }

  inputEdgesContract('modbus', async () => {
    const units = [
      { address: 1, relays: 2, flashOn: false, inputs: 1 },
      { address: 17, relays: 8, flashOn: false, inputs: 3 },
    ];
    const bus = await ModbusBus.start(program, units);
    return {
      count: 4,
      newDriver: (watched) => newModbusBoard(bus.port, units, MODBUS_ANSWER_MS, watched).board,
      nowMs: () => preciseClock.nowMs(),
      set: (input, level) => setInput(bus, input, level),
      pollMs: MODBUS_POLL_MS,
      cable: { unplug: () => bus.unplug(), plug: () => bus.plug() },
      close: () => bus.end(),
    };
  });
});

/** The first board has one input, and the second the others. */
function setInput(bus: ModbusBus, input: number, level: Level): void {
  if (input === 0) bus.setInput(1, 0, level === 'high');
  else bus.setInput(17, input - 1, level === 'high');
}
