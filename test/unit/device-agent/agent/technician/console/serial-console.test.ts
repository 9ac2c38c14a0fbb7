/** The console as part of the agent, at a serial port in memory. */
import { beforeEach, expect, test } from '@jest/globals';
import { parseDeviceSettings } from '@relaygate/shared/device';
import { AgentInMemory } from '../../../../../support/device/agent-in-memory';
import { Terminal } from '../../../../../support/device/terminal';
import { item } from './console-talk';

let device: AgentInMemory;
let terminal: Terminal;
beforeEach(async () => {
  device = new AgentInMemory();
  terminal = new Terminal();
  device.openSerial = terminal.open;
  device.editSettings({ console: { port: '/dev/ttyTEST', language: 'en' } });
  await device.startGuard();
});

const faults = async (): Promise<string[]> =>
  (await device.status()).faults.flatMap(({ code, text }) => (code === 'console-away' ? [text] : []));
/** What is shown after it. */
async function lines(...texts: string[]): Promise<string> {
  const before = terminal.screen.length;
  for (const text of texts) {
    terminal.type(`${text}\r`);
    await device.passed();
  }
  return terminal.screen.slice(before);
}
async function logIn(...texts: string[]): Promise<string> {
  await device.startAgent();
  return lines(await device.newPin(), ...texts);
}

test('sets a pulse duration and pulses, through the guard and with entries in the history', async () => {
  await logIn();
  expect(await lines('3', '2', '750', 'y')).toContain('Saved. Pulse duration: 500 ms -> 750 ms.');
  expect(device.onDisk().outputs[2].pulseMs).toBe(750);
  expect(await lines('2', '2', 'y')).toContain('Done.');
  expect(device.board.edges).toMatchObject([{ line: 2, level: 'high' }]);
  expect(await device.historyEntries({ limit: 2 })).toMatchObject([
    { kind: 'output', actor: 'console' },
    { kind: 'pulse', actor: 'console', outcome: 'executed' },
  ]);
  const shown = await lines('5');
  expect(shown).toContain('console  pulse 2: done');
  expect(shown).toContain('pulseMs: 500 -> 750');
});

test('asks for the PIN anew when the cable was pulled, also in the middle of a question', async () => {
  await logIn('2', '2');
  terminal.unplug();
  await device.passed();
  expect(await faults()).toEqual(['The serial console at /dev/ttyTEST is away: it was unplugged.']);
  terminal.isPlugged = true;
  terminal.screen = '';
  await device.passed(5_000);
  expect(await faults()).toEqual([]);
  expect(terminal.screen).toBe('\r\nRelaygate\r\nPIN: ');
  await lines('y');
  expect(device.board.edges).toEqual([]);
});

test('a port that is not there is a fault, holds nothing up, and is opened once it comes', async () => {
  terminal.isPlugged = false;
  await device.startAgent();
  expect(await faults()).toEqual(['The serial console at /dev/ttyTEST is away: it is not there.']);
  await device.passed(60_000);
  terminal.isPlugged = true;
  await device.passed(5_000);
  expect(terminal.openings).toBe(1);
  expect(await faults()).toEqual([]);
});

test('whoever knew the old PIN is asked for the new one', async () => {
  await logIn('2', '2');
  const pin = await device.newPin();
  expect(await lines('y')).toMatch(/Session closed: a new PIN was made\.\r\n\r\nRelaygate\r\nPIN: $/);
  expect(device.board.edges).toEqual([]);
  expect(await lines(pin)).toContain(' 1  Status');
});

/** Of the relays that have moved, those that are on. */
const onNow = (): unknown[] =>
  [...new Map(device.board.edges.map(({ line, level }) => [line, level]))].filter(([, level]) => level === 'high');

test.each<[string, () => void]>([
  ['Ctrl-C', () => terminal.type('\x03')],
  ['what is typed for the menu', () => terminal.type(`${item('quit')}\r`)],
  ['the cable', () => terminal.unplug()],
  ['a new PIN', () => void device.newPin()],
])('no relay is left on in the middle of a click, by %s', async (_what, leave) => {
  await logIn(item('prove'), 'Ana', 'y');
  expect(onNow()).toEqual([[0, 'high']]);
  leave();
  await device.passed(10_000);
  expect(onNow()).toEqual([]);
  // The clicks' own settings are gone with them.
  expect(await device.status()).toMatchObject({
    outputs: [{ mode: 'on-off' }, {}, {}, {}],
  });
  await device.localRequest('set', { numOutput: 1, state: 1 });
  await device.passed(2_000);
  expect(onNow()).toEqual([[1, 'high']]);
});

test('a laptop that does not read holds nothing up, and may be unplugged', async () => {
  await device.startAgent();
  const pin = await device.newPin();
  terminal.isStuck = true;
  await lines(pin, '3', '2', '750', 'y');
  expect(device.onDisk().outputs[2].pulseMs).toBe(750);
  terminal.unplug();
  terminal.isPlugged = true;
  terminal.isStuck = false;
  terminal.screen = '';
  await device.passed(5_000);
  expect(terminal.screen).toBe('\r\nRelaygate\r\nPIN: ');
});

test('a console on the port of the relay board, or with a member that is unknown, stops the start', () => {
  const settings = device.onDisk();
  const board = { kind: 'lcus', port: '/dev/ttyTEST', relays: 4 };
  expect(parseDeviceSettings({ ...settings, board })).toMatchObject({
    ok: false,
    problem: 'console.port is the port of the relay board',
  });
  expect(parseDeviceSettings({ ...settings, console: { port: '/dev/x', parity: 'even' } })).toMatchObject({
    ok: false,
  });
  expect(parseDeviceSettings({ ...settings, console: { port: '/dev/x', language: 'de' } })).toMatchObject({
    ok: false,
  });
});
