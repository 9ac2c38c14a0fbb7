/** What becomes of the inputs of a board when another one is chosen. */
import { describe, expect, test } from '@jest/globals';
import { chosenBoard } from '@relaygate/device-agent/provisioning/boards/board-choice';
import { parseBoardProfile } from '@relaygate/shared/device';
import { AgentInMemory, SETTINGS_PATH } from '../../../support/device/agent-in-memory';
import { errorWith } from '../../../support/device/error-with';

const RELAYS = ['A', 'B', 'C', 'D'];
const CONTACT = { kind: 'contact', numInput: 1, name: 'Gate closed' };
const GPIO = { kind: 'gpio', lines: [5, 6, 7, 8] };
const LINES = [{ line: 17 }, { line: 27, bias: 'pull-up' }];
const MODBUS = { kind: 'modbus', port: '/dev/ttyUSB0', baud: 9600, parity: 'none' };
const two = (inputs?: number) => [1, 2].map((address) => ({ address, relays: 2, ...(inputs && { inputs }) }));

let device: AgentInMemory;

/** Where the board is no simulated one, there is no guard: the agent chooses by the file. */
async function deviceWith(board: object, inputs: object[] = []): Promise<void> {
  device = new AgentInMemory();
  device.editSettings({ board, inputs });
  await device.startAgent(100);
}
const choose = (board: object, activeLevel = 'high') =>
  device.localRequest('board', { board, relays: RELAYS, activeLevel });

describe('the inputs of a board before', () => {
  test('stay with those that a profile names, where these are the first of them', async () => {
    await deviceWith({ ...GPIO, inputs: LINES }, [CONTACT]);
    await choose({ ...GPIO, inputs: [{ line: 17 }] }, 'low');
    expect(device.onDisk().board.inputs).toEqual(LINES);
  });

  test('stay by the address of their Modbus board', async () => {
    await deviceWith({ ...MODBUS, units: two(8) }, [{ ...CONTACT, numInput: 9 }]);
    await choose({ ...MODBUS, port: '/dev/ttyUSB1', units: two() });
    expect(device.onDisk()).toMatchObject({
      board: { port: '/dev/ttyUSB1', units: two(8) },
      inputs: [{ numInput: 9 }],
    });
  });

  test.each<[string, object, object, object]>([
    ['a relay takes the line of one', { ...GPIO, inputs: LINES }, { ...GPIO, lines: [5, 6, 7, 27] }, CONTACT],
    ['the chip is another one', { ...GPIO, inputs: LINES }, { ...GPIO, chip: 'other' }, CONTACT],
    ['nothing pulls one any more', { ...GPIO, inputs: LINES }, { ...GPIO, kind: 'gpio-sysfs' }, CONTACT],
    [
      'the profile has another one in its place',
      { ...GPIO, inputs: LINES },
      { ...GPIO, inputs: [{ line: 22 }, { line: 23 }] },
      CONTACT,
    ],
    ['the boards change their order', { ...MODBUS, units: two(8) }, { ...MODBUS, units: two().reverse() }, CONTACT],
    ['the board has no inputs', { ...GPIO, inputs: LINES }, { kind: 'lcus', port: '/dev/ttyUSB0', relays: 4 }, CONTACT],
  ])('are refused in use, and else said to be gone, where %s', async (_, before, after, contact) => {
    await deviceWith(before, [contact]);
    const text = device.onDisk();
    await expect(choose(after)).rejects.toMatchObject(
      errorWith('out-of-range', /^Input 1 is in use, and on that board/),
    );
    expect(device.onDisk()).toEqual(text);
    await deviceWith(before);
    expect(await choose(after)).toMatchObject({ lostInputs: expect.arrayContaining([1]) });
  });
});

describe('the board in force, chosen again before the restart', () => {
  const RUNNING = { ...GPIO, inputs: LINES };
  const SMALLER = { kind: 'lcus', port: '/dev/ttyUSB0', relays: 2 };
  const output = { mode: 'on-off', activeLevel: 'high', powerOn: 'off', pulseMs: 500 };
  const outputs = RELAYS.map((name, n) => ({ name: `Gate ${name}`, ...output, ...(n === 3 && { feedbackInput: 0 }) }));
  const chooseSmaller = () =>
    device.localRequest('board', { board: SMALLER, relays: RELAYS.slice(0, 2), activeLevel: 'high' });
  const events = async () => JSON.stringify(await device.localRequest('log', { limit: 100, waitMs: 0 }));

  async function runningDevice(inputs: object[]): Promise<void> {
    device = new AgentInMemory();
    device.editSettings({ board: RUNNING, outputs, inputs });
    await device.startAgent(100);
  }

  test('is in force as it was, with outputs and inputs that the other one lacks', async () => {
    await runningDevice([]);
    const before = device.onDisk();
    expect(await chooseSmaller()).toMatchObject({ mustRestart: true, lostInputs: [0, 1] });
    expect(await choose(GPIO)).toMatchObject({ after: RUNNING, mustRestart: false });
    expect(device.onDisk()).toEqual(before);
    expect(await device.localRequest('inputs', {})).toEqual({ inputs: [], mustRestart: false });
    expect(await device.faultCodes()).not.toContain('other-board');
    expect(await events()).toMatch(/board lcus.* -> gpio, lines 5, 6, 7, 8.* by a test"/);
    // It can be changed again, and chosen again.
    await device.localRequest('input', { numInput: 1, change: { kind: 'contact', name: 'Gate closed' } });
    expect(await choose(GPIO)).toMatchObject({ mustRestart: false });
    expect(device.onDisk()).toMatchObject({ board: RUNNING, outputs, inputs: [CONTACT] });
  });

  test('leaves outputs free to be changed again, unless the guard was restarted meanwhile (I5)', async () => {
    await runningDevice([]);
    device.board.inputLevel = () => 'low';
    await device.startGuard(1_000);
    await chooseSmaller();
    expect(await choose(GPIO)).toMatchObject({ mustRestart: false });
    await device.passed(1_000);
    expect(await device.faultCodes()).toEqual([]);
    await device.changeOutput(2, { pulseMs: 750 });
    await device.localRequest('board', { board: { ...RUNNING, lines: [9] }, relays: ['A'], activeLevel: 'high' });
    device.killGuard();
    await device.passed(10);
    device.renewBoard();
    device.board.inputLevel = () => 'low';
    await device.startGuard(1_000);
    expect(await choose(GPIO)).toMatchObject({ mustRestart: true });
    expect(await device.faultCodes()).toEqual(['other-board']);
  });

  test('keeps what inputs of both have come to mean meanwhile', async () => {
    await runningDevice([]);
    await choose({ ...GPIO, lines: [5, 6, 7, 25] });
    await device.localRequest('input', { numInput: 1, change: { kind: 'contact', name: 'Gate closed' } });
    expect(await choose(GPIO)).toMatchObject({ mustRestart: false });
    expect(device.onDisk()).toMatchObject({ board: RUNNING, inputs: [CONTACT] });
    expect(await device.localRequest('inputs', {})).toMatchObject({ inputs: [CONTACT], mustRestart: false });
  });

  test('refuses to take an input for another one that means something meanwhile', async () => {
    await runningDevice([]);
    const other = { ...GPIO, lines: [5, 6], inputs: [{ line: 22 }, { line: 23 }] };
    await device.localRequest('board', { board: other, relays: RELAYS.slice(0, 2), activeLevel: 'high' });
    await device.localRequest('input', { numInput: 1, change: { kind: 'contact', name: 'Gate closed' } });
    await expect(choose(GPIO)).rejects.toThrow(/^Input 1 is in use/);
    await device.localRequest('input', { numInput: 1, change: null });
    expect(await choose(GPIO)).toMatchObject({ mustRestart: false });
    expect(device.onDisk()).toMatchObject({ board: RUNNING, outputs });
  });

  test('keeps the polarity that a proof has corrected, whatever its profile says', async () => {
    await runningDevice([]);
    const corrected = {
      ...device.onDisk(),
      outputs: outputs.map((one, n) => ({ ...one, ...(n === 2 && { activeLevel: 'low' }) })),
    };
    device.stopAgent();
    device.files.texts.set(SETTINGS_PATH, JSON.stringify(corrected));
    await device.startAgent(100);
    await chooseSmaller();
    expect(await choose(GPIO)).toMatchObject({ mustRestart: false });
    expect(device.onDisk()).toEqual(corrected);
  });

  test('is in force again where the disk refuses it after the file is new', async () => {
    await runningDevice([]);
    await chooseSmaller();
    device.files.failingLate.set(SETTINGS_PATH, 'EIO');
    await expect(choose(GPIO)).rejects.toMatchObject({ code: 'refused' });
    device.files.failingLate.clear();
    expect(device.onDisk().board).toEqual(RUNNING);
    expect(await device.faultCodes()).not.toContain('other-board');
    expect(await device.localRequest('inputs', {})).toMatchObject({ mustRestart: false });
  });

  test('stays chosen where the disk does not take it', async () => {
    await runningDevice([]);
    await chooseSmaller();
    const before = device.onDisk();
    device.files.failing.set(SETTINGS_PATH, 'ENOSPC');
    await expect(choose(GPIO)).rejects.toMatchObject({ code: 'refused' });
    device.files.failing.clear();
    expect(device.onDisk()).toEqual(before);
    expect(await device.localRequest('inputs', {})).toMatchObject({ mustRestart: true });
    expect(await choose(GPIO)).toMatchObject({ mustRestart: false });
  });
});

describe('a profile with inputs', () => {
  const about = { name: 'own', title: 'Own', source: 'its manual', verified: true, notes: [] };
  const gpio = {
    ...about,
    kind: 'gpio',
    activeLevel: 'high',
    relays: [{ label: 'A', bcm: 22 }],
    inputs: [{ label: 'IN1', bcm: 26, bias: 'pull-down' }],
  };
  const boardOf = (profile: object, options: object) => {
    const parsed = parseBoardProfile(profile);
    if (!parsed.ok) throw new Error(parsed.problem);
    return chosenBoard(parsed.value, options).board;
  };

  test('makes a board with them', () => {
    expect(boardOf(gpio, {})).toMatchObject({ lines: [22], inputs: [{ line: 26, bias: 'pull-down' }] });
    expect(boardOf(gpio, { sysfs: true })).toMatchObject({ kind: 'gpio-sysfs', inputs: [{ line: 26 }] });
    const modbus = {
      ...about,
      kind: 'modbus',
      ...{ address: 1, baud: 9600, parity: 'none', flashOn: false, inputs: 8, relays: [{ label: 'A' }] },
    };
    expect(boardOf(modbus, { port: '/dev/ttyUSB0', address: '1,2' })).toMatchObject({
      units: [
        { address: 1, inputs: 8 },
        { address: 2, inputs: 8 },
      ],
    });
  });

  test('on the line of a relay is refused', () => {
    expect(parseBoardProfile({ ...gpio, inputs: [{ label: 'IN1', bcm: 22 }] })).toEqual({
      ok: false,
      problem: 'relays and inputs name BCM 22 twice',
    });
  });
});
