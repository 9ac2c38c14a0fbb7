import { describe, expect, test } from '@jest/globals';
import { relayBoard } from '@relaygate/device-agent/relay/relay-boards';
import type { Level } from '@relaygate/shared/device';

const outputs = (...levels: Level[]): { activeLevel: Level }[] => levels.map((activeLevel) => ({ activeLevel }));

describe('what switches a board off without its guard', () => {
  test('drives each GPIO line to the level that does not energise its relay', () => {
    expect(relayBoard({ kind: 'gpio', lines: [17, 27], chip: 'my chip' }).offOrders(outputs('high', 'low'))).toBe(
      'gpio\t17=0 27=1\tmy chip\n',
    );
    expect(relayBoard({ kind: 'gpio-sysfs', lines: [5] }).offOrders(outputs('low'))).toBe('sysfs\t5=1\t\n');
  });

  test('tells serial boards in their own frames', () => {
    // From Waveshare's manual: relay 1 off.
    expect(
      relayBoard({ kind: 'modbus', port: '/dev/ttyUSB0', units: [{ address: 1, relays: 1 }] }).offOrders(
        outputs('high'),
      ),
    ).toBe('serial\t/dev/ttyUSB0\t9600\tnone\t010f0000000101002e97:010f00000001940b:010500000000cdca\t60\t150\n');
    expect(relayBoard({ kind: 'lcus', port: '/dev/ttyUSB0', relays: 2 }).offOrders(outputs('high', 'high'))).toBe(
      'serial\t/dev/ttyUSB0\t9600\tnone\ta00100a1 a00200a2\n',
    );
  });

  test('tells first the Modbus board whose output is urgent', () => {
    const units = [1, 2, 3].map((address) => ({ address, relays: 2 }));
    const orders = relayBoard({ kind: 'modbus', port: '/dev/ttyUSB0', units }).offOrders([], [5, 4, 1]);
    expect(
      orders
        .split(/[\t ]/)
        .filter((word) => word.includes(':'))
        .map((word) => word.slice(0, 4)),
    ).toEqual(['030f', '010f', '020f']);
  });

  test('is nothing for a simulated board', () => {
    expect(relayBoard({ kind: 'simulated' }).offOrders(outputs('high'))).toBe('');
  });
});
