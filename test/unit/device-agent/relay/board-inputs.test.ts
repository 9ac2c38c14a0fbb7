import { expect, test } from '@jest/globals';
import { GpioBoard } from '@relaygate/device-agent/relay/gpio-board';
import type { RelayDriver } from '@relaygate/device-agent/relay/relay-driver';
import { SimulatedBoard } from '@relaygate/device-agent/relay/simulated-board';
import { SysfsBoard } from '@relaygate/device-agent/relay/sysfs-board';
import { type BoardSettings, inputsOf } from '@relaygate/shared';

const DRIVERS: Record<BoardSettings['kind'], RelayDriver> = {
  simulated: SimulatedBoard.prototype,
  gpio: GpioBoard.prototype,
  'gpio-sysfs': SysfsBoard.prototype,
};

const BOARDS: readonly BoardSettings[] = [
  { kind: 'simulated' },
  { kind: 'gpio', lines: [4], inputs: [{ line: 17 }] },
  { kind: 'gpio-sysfs', lines: [4] },
];

test.each(BOARDS)('a $kind board has inputs where its driver reads them', (board) => {
  expect('readInput' in DRIVERS[board.kind]).toBe(inputsOf(board) > 0);
});
