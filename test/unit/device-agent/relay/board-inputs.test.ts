import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { relayBoard } from '@relaygate/device-agent/relay/relay-boards';
import { type BoardSettings, HAS_INPUTS } from '@relaygate/shared/device';
import { VirtualClock } from '../../../support/time/virtual-clock';

const BOARDS: readonly BoardSettings[] = [
  { kind: 'simulated' },
  { kind: 'gpio', lines: [5] },
  { kind: 'gpio-sysfs', lines: [5] },
  { kind: 'modbus', port: '/dev/port', units: [{ address: 1, relays: 1 }] },
  { kind: 'lcus', port: '/dev/port', relays: 1 },
];

test('a kind of board has inputs where its driver reads them', () => {
  const clock = new VirtualClock();
  const machine = {
    clock,
    slackClock: clock,
    dataDir: '/nowhere',
    openSerial: () => () => Promise.reject(new Error('not opened')),
    lockByte: async () => null,
  };
  const reads = BOARDS.map((board) => {
    const { readInput } = relayBoard(board).driver(machine, [{ activeLevel: 'high' }]);
    return [board.kind, readInput !== undefined];
  });
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
