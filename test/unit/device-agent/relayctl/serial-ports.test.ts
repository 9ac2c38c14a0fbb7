import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { chosenBoard } from '@relaygate/device-agent/provisioning/boards/board-choice';
import { readBoardProfiles } from '@relaygate/device-agent/relayctl/board-profiles';
import { serialPorts } from '@relaygate/device-agent/relayctl/serial-ports';
import type { BoardProfile } from '@relaygate/shared/device';
import { folderForEach } from '../../../support/processes/fresh-folder';

const profiles = readBoardProfiles();

describe('the serial adapters of a machine', () => {
  const root = folderForEach('rg-u-');
  beforeEach(() => {
    for (const folder of ['sys/class/tty/ttyS0', 'dev/serial/by-id', 'dev/serial/by-path'])
      mkdirSync(join(root, folder), { recursive: true });
  });

  /** As the kernel and udev show an adapter in the given socket of the hub. */
  function plug(tty: string, socket: string, id: string, product: string, serial = ''): void {
    const [idVendor, idProduct] = id.split(':');
    const usb = join(root, 'sys/devices/usb1', socket);
    mkdirSync(join(usb, '1.0', tty), { recursive: true });
    for (const [name, text] of Object.entries({ idVendor, idProduct, ...(serial ? { serial } : {}) }))
      writeFileSync(join(usb, name), `${text}\n`);
    mkdirSync(join(root, 'sys/class/tty', tty), { recursive: true });
    symlinkSync(join(usb, '1.0', tty), join(root, 'sys/class/tty', tty, 'device'));
    const names = { 'by-id': `usb-${product}${serial && `_${serial}`}-if00`, 'by-path': `usb-${socket}` };
    for (const [kind, name] of Object.entries(names)) {
      rmSync(join(root, 'dev/serial', kind, name), { force: true });
      symlinkSync(`../../${tty}`, join(root, 'dev/serial', kind, name));
    }
  }

  test('are none where only the ports of the board itself are', () => {
    expect(serialPorts(profiles, root)).toEqual([]);
    expect(serialPorts(profiles, join(root, 'nothing'))).toEqual([]);
  });

  test('with a number of their own are named by it', () => {
    plug('ttyUSB0', '1-1', '0403:6001', 'FTDI', 'A1');
    plug('ttyUSB1', '1-2', '0403:6001', 'FTDI', 'A2');
    expect(serialPorts(profiles, root)).toEqual([
      { path: '/dev/serial/by-id/usb-FTDI_A1-if00', usb: '0403:6001', isLasting: true, profiles: [] },
      { path: '/dev/serial/by-id/usb-FTDI_A2-if00', usb: '0403:6001', isLasting: true, profiles: [] },
    ]);
  });

  test('without one are named by their socket, and what they may be is said', () => {
    plug('ttyUSB0', '1-1', '1a86:7523', 'CH340');
    expect(serialPorts(profiles, root)).toEqual([
      {
        path: '/dev/serial/by-path/usb-1-1',
        usb: '1a86:7523',
        isLasting: false,
        profiles: ['lcus-1', 'lcus-2', 'lcus-4', 'lcus-8'],
      },
    ]);
  });

  test('with the same number, as cheap ones have it, are named by their socket', () => {
    plug('ttyUSB0', '1-1', '0403:6001', 'FTDI', '0000');
    plug('ttyUSB1', '1-2', '0403:6001', 'FTDI', '0000');
    expect(serialPorts(profiles, root).map(({ path }) => path)).toEqual([
      '/dev/serial/by-path/usb-1-1',
      '/dev/serial/by-path/usb-1-2',
    ]);
  });
});

describe('the choice of a board', () => {
  const named = (name: string): BoardProfile => {
    const profile = profiles.find((candidate) => candidate.name === name);
    if (!profile) throw new Error(`no profile ${name}`);
    return profile;
  };
  const port = '/dev/serial/by-id/a';

  test('is one Modbus board, or several with an address each', () => {
    const modbus = named('waveshare-modbus-rtu-relay-8ch');
    expect(chosenBoard(modbus, { port })).toMatchObject({
      board: { kind: 'modbus', port, baud: 9_600, parity: 'none', units: [{ address: 1, relays: 8, flashOn: true }] },
      activeLevel: 'high',
    });
    const several = chosenBoard(modbus, { port, address: '3,7' });
    expect(several.board).toMatchObject({ units: [{ address: 3 }, { address: 7 }] });
    expect(several.relays).toHaveLength(16);
    expect(several.relays[8]).toBe('CH1 at 7');
  });

  test.each([
    ['lcus-4', {}, /"lcus-4" needs --port/],
    ['lcus-4', { port, address: '1' }, /--address means nothing to "lcus-4"/],
    ['lcus-4', { port, sysfs: true }, /--sysfs means nothing/],
    ['generic-active-high', { port }, /--port means nothing to "generic-active-high"/],
    ['generic-modbus-relays', { port, address: '1,x' }, /--address is a list of numbers from 1 to 247/],
    ['generic-modbus-relays', { port, address: '0' }, /--address is a list/],
  ])('%s with %j is refused', (name, options, message) => {
    expect(() => chosenBoard(named(name), options)).toThrow(message);
  });
});
