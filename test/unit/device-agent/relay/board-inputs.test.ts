import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { GpioBoard } from '@relaygate/device-agent/relay/gpio-board';
import type { RelayDriver } from '@relaygate/device-agent/relay/relay-driver';
import { SerialBoard } from '@relaygate/device-agent/relay/serial-boards/serial-board';
import { SimulatedBoard } from '@relaygate/device-agent/relay/simulated-board';
import { SysfsBoard } from '@relaygate/device-agent/relay/sysfs-board';
import { type BoardSettings, HAS_INPUTS } from '@relaygate/shared/device';

const DRIVERS: Record<BoardSettings['kind'], RelayDriver> = {
  simulated: SimulatedBoard.prototype,
  gpio: GpioBoard.prototype,
  'gpio-sysfs': SysfsBoard.prototype,
  modbus: SerialBoard.prototype,
  lcus: SerialBoard.prototype,
};

test('a kind of board has inputs where its driver reads them', () => {
  const reads = Object.entries(DRIVERS).map(([kind, driver]) => [kind, 'readInput' in driver]);
  expect(Object.fromEntries(reads)).toEqual(HAS_INPUTS);
});

/** relay-boards.ts loads them by that name, which no compiler checks. */
test('each kind of board, and nothing else, has a file of its name', () => {
  const files = readdirSync(resolve(__dirname, '../../../../../device-agent/src/relay/kinds'));
  expect(files.sort()).toEqual(
    Object.keys(HAS_INPUTS)
      .map((kind) => `${kind}.ts`)
      .sort(),
  );
});
