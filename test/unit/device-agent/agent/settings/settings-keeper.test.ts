import { beforeEach, describe, expect, test } from '@jest/globals';
import { AgentInMemory, SETTINGS_PATH } from '../../../../support/device/agent-in-memory';
import { errorWith } from '../../../../support/device/error-with';

let device: AgentInMemory;
beforeEach(() => {
  device = new AgentInMemory();
});
const change = (numOutput: number, wish: object, force = false): Promise<unknown> =>
  device.changeOutput(numOutput, wish, force);

test('a feedback input that the board lacks is refused: guard and agent could not start again', async () => {
  const board = { kind: 'gpio', lines: [5, 6, 13, 16], inputs: [{ line: 17 }] };
  device.editSettings({ board });
  await device.start();
  await expect(change(0, { feedbackInput: 1 })).rejects.toMatchObject(
    errorWith('out-of-range', 'the board has the inputs 0 to 0'),
  );
  expect(await change(0, { feedbackInput: 0 })).toMatchObject({ after: { feedbackInput: 0 } });
});

test('a polarity by which a relay may close at power-on is changed with what holds it open', async () => {
  const board = { kind: 'gpio', lines: [5, 6, 13, 16] };
  device.editSettings({ board });
  await device.start();
  const cures = [{ bcm: 13, configLine: 'gpio=13=op,dh' }];
  expect(await change(2, { activeLevel: 'low' })).toMatchObject({ bcm: 13, cures });
  expect(await change(2, { pulseMs: 700 })).toMatchObject({ bcm: 13, cures: [] });
  expect(await change(0, { activeLevel: 'low' })).toMatchObject({ bcm: 5, cures: [] });
});

describe('a change of settings', () => {
  beforeEach(async () => {
    await device.start();
  });

  test('is in force, on disk and reported', async () => {
    expect(await change(2, { pulseMs: 750 })).toMatchObject({ before: { pulseMs: 500 }, after: { pulseMs: 750 } });
    await device.passed(100);
    expect(device.onDisk().outputs[2].pulseMs).toBe(750);
    expect(device.server.of('report').at(-1)?.outputs[2]?.pulseMs).toBe(750);
    await device.localRequest('pulse', { numOutput: 2 });
    await device.passed(749);
    expect(device.board.levels[2]).toBe('high');
    await device.passed(1);
    expect(device.board.levels[2]).toBe('low');
  });

  test('that cannot be saved is taken back and refused', async () => {
    const before = device.files.texts.get(SETTINGS_PATH);
    device.files.failing.set(SETTINGS_PATH, 'ENOSPC: no space left on device');
    await expect(change(2, { pulseMs: 750 })).rejects.toMatchObject({ code: 'refused' });
    expect(device.files.texts.get(SETTINGS_PATH)).toBe(before);
    await device.localRequest('pulse', { numOutput: 2 });
    await device.passed(500);
    expect(device.board.levels[2]).toBe('low');
  });

  test('whose save fails after the file is new is taken back there too', async () => {
    const before = device.files.texts.get(SETTINGS_PATH);
    device.files.failingLate.set(SETTINGS_PATH, 'EIO');
    await expect(change(2, { pulseMs: 750 })).rejects.toThrow('nothing was changed');
    expect(device.onDisk()).toEqual(JSON.parse(before ?? ''));
    device.files.failingLate.clear();
    await change(2, { pulseMs: 750 });
  });

  test('of the mode is refused while the output is active, unless forced', async () => {
    await device.localRequest('set', { numOutput: 0, state: 1 });
    await expect(change(0, { mode: 'impulse' })).rejects.toMatchObject({ code: 'output-active' });
    expect(device.board.levels[0]).toBe('high');
    await change(0, { mode: 'impulse' }, true);
    expect(device.board.levels[0]).toBe('low');
  });

  test.each([
    [{ pulseMs: 49 }, '50 to 3600000'],
    [{ pulseMs: 75.5 }, '50 to 3600000'],
    [{ name: '' }, '1 to 64 characters'],
    [{ name: 'a\u0007b' }, '1 to 64 characters'],
    [{ name: '   ' }, 'name must show something'],
    [{ name: '\u200d' }, 'name must show something'],
  ])('to %j is refused with the range', async (wish, range) => {
    await expect(change(2, wish)).rejects.toMatchObject(errorWith('out-of-range', range));
  });

  test('does not confirm what was set already where the file is gone, as after a factory reset (I8)', async () => {
    await change(2, { pulseMs: 750 });
    device.files.texts.delete(SETTINGS_PATH);
    await expect(change(2, { pulseMs: 750 })).rejects.toThrow('edited');
  });

  test('does not overwrite what a hand has edited since', async () => {
    device.files.texts.set(SETTINGS_PATH, '{"edited": true}');
    await expect(change(2, { pulseMs: 750 })).rejects.toThrow('edited');
    expect(device.files.texts.get(SETTINGS_PATH)).toBe('{"edited": true}');
  });

  test('does not overwrite what a hand edits while it is saved, and is taken back', async () => {
    const answer = device.files.hold(SETTINGS_PATH);
    const changed = change(2, { pulseMs: 750 });
    await device.passed(100);
    device.files.texts.set(SETTINGS_PATH, '{"edited": true}');
    answer();
    await expect(changed).rejects.toThrow('edited');
    expect(device.files.texts.get(SETTINGS_PATH)).toBe('{"edited": true}');
    expect(await device.status()).toMatchObject({ outputs: [{}, {}, { pulseMs: 500 }, {}] });
  });

  test('needs the guard, which alone knows whether the output is free', async () => {
    device.killGuard();
    await device.passed(10);
    await expect(change(2, { pulseMs: 750 })).rejects.toMatchObject({ code: 'guard-unreachable' });
  });

  test('reaches a guard that runs with older settings once it is back', async () => {
    device.killGuard();
    const old = device.files.texts.get(SETTINGS_PATH) ?? '';
    await device.passed(10);
    device.files.texts.set(SETTINGS_PATH, old.replace('"Output 1"', '"Before"'));
    const guard = await device.startGuard();
    expect(guard.view().outputs[1]?.settings.name).toBe('Before');
    await device.passed(300);
    expect(guard.view().outputs[1]?.settings.name).toBe('Output 1');
  });
});
