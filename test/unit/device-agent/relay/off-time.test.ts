import { expect, test } from '@jest/globals';
import { lateOff } from '@relaygate/device-agent/relay/off-time';
import type { BoardSettings } from '@relaygate/shared/device';

function modbus(units: number, relays: number, settings: { baud?: number; answerMs?: number } = {}): BoardSettings {
  const addresses = Array.from({ length: units }, (_, n) => n + 1);
  return {
    kind: 'modbus',
    port: '/dev/ttyUSB0',
    units: addresses.map((address) => ({ address, relays })),
    ...settings,
  };
}

test.each<[string, BoardSettings]>([
  ['64 relays on 8 Modbus boards at 9,600 baud', modbus(8, 8)],
  ['64 relays on one at 1,200 baud', modbus(1, 64, { baud: 1_200 })],
  ['a GPIO board', { kind: 'gpio', lines: [5] }],
])('%s are off within 1 s of the death of the guard', (_what, board) => {
  expect(lateOff(board)).toBeNull();
});

test.each<[string, BoardSettings, number]>([
  ['8 at 1,200 baud', modbus(8, 8, { baud: 1_200 }), 2_300],
  ['64 with a relay each', modbus(64, 1), 5_700],
  ['the same if they answer within 20 ms', modbus(64, 1, { answerMs: 20 }), 3_100],
])('of %s it is known how late they may be off', (_what, board, withinMs) => {
  expect(lateOff(board)).toMatchObject({ withinMs });
});
