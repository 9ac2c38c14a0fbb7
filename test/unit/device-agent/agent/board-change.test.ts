import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Guard } from '@relaygate/device-agent/guard/guard';
import { AgentInMemory, SETTINGS_PATH } from '../../../support/device/agent-in-memory';
import { errorWith } from '../../../support/device/error-with';

describe('a change of the board', () => {
  const LOW = { board: { kind: 'gpio', lines: [5, 6, 7, 8] }, relays: ['A', 'B', 'C', 'D'], activeLevel: 'low' };
  let device: AgentInMemory;
  let guard: Guard;
  beforeEach(async () => {
    device = new AgentInMemory();
    guard = await device.start();
  });

  const choose = (wish: object): Promise<unknown> => device.localRequest('board', wish);

  test('is written for the next start, with the outputs as they were but for the polarity', async () => {
    const before = device.onDisk();
    expect(await choose(LOW)).toEqual({
      before: before.board,
      after: LOW.board,
      outputs: ['kept', 'kept', 'kept', 'kept'],
      mustRestart: true,
    });
    const outputs = before.outputs.map((output: object) => ({ ...output, activeLevel: 'low' }));
    expect(device.onDisk()).toEqual({ ...before, board: LOW.board, outputs });
    expect(await device.faultTexts()).toEqual([
      expect.stringContaining('restart relaygate-guard, then relaygate-agent'),
    ]);
    expect(await device.logged('settings')).toContainEqual(
      expect.stringMatching(/^board simulated -> gpio, lines .* by a test, from the/),
    );
  });

  test('adds outputs that pulse, and takes away those that the board has no relay for', async () => {
    const lines = [5, 6, 7, 8, 25];
    const more = { board: { kind: 'gpio', lines }, relays: ['A', 'B', 'C', 'D', 'E'], activeLevel: 'high' };
    expect(await choose(more)).toMatchObject({ outputs: ['kept', 'kept', 'kept', 'kept', 'new'] });
    expect(device.onDisk().outputs[4]).toEqual({
      name: 'E',
      mode: 'impulse',
      pulseMs: 500,
      activeLevel: 'high',
      powerOn: 'off',
    });
    const fewer = { board: { kind: 'gpio-sysfs', lines: [5] }, relays: ['A'], activeLevel: 'high' };
    expect(await choose(fewer)).toMatchObject({ outputs: ['kept', 'removed', 'removed', 'removed'] });
    expect(device.onDisk().outputs).toHaveLength(1);
  });

  test('moves nothing, and reaches no line of the old board (I5)', async () => {
    await choose(LOW);
    await device.passed(1_000);
    expect(device.board.edges).toEqual([]);
    expect(guard.view().outputs[0]?.settings.activeLevel).toBe('high');
    await expect(device.changeOutput(2, { pulseMs: 750 })).rejects.toMatchObject({ code: 'refused' });
    // The old board goes on to work.
    await device.localRequest('pulse', { numOutput: 2 });
    expect(device.board.levels[2]).toBe('high');
  });

  test('is not undone where the guard is restarted first (I5)', async () => {
    await choose(LOW);
    device.killGuard();
    await device.passed(10);
    device.renewBoard();
    guard = await device.startGuard(1_000);
    expect(guard.view().outputs[0]?.settings.activeLevel).toBe('low');
    expect(device.board.levels).toEqual(['high', 'high', 'high', 'high']);
    await device.restartAgent(1_000);
    expect(await device.faultTexts()).toEqual([]);
    expect(await choose(LOW)).toMatchObject({ mustRestart: false });
  });

  test('does not reach the old board where the agent is restarted first (I5)', async () => {
    await choose(LOW);
    await device.restartAgent(1_000);
    expect(guard.view().outputs[0]?.settings.activeLevel).toBe('high');
    expect(device.board.edges).toEqual([]);
    expect(await device.faultTexts()).toEqual([expect.stringContaining('another board')]);
    await expect(device.changeOutput(2, { pulseMs: 750 })).rejects.toThrow('another board');
  });

  test('that cannot be saved is refused', async () => {
    const before = device.files.texts.get(SETTINGS_PATH);
    device.files.failing.set(SETTINGS_PATH, 'ENOSPC');
    await expect(choose(LOW)).rejects.toThrow('nothing was changed');
    expect(device.files.texts.get(SETTINGS_PATH)).toBe(before);
    expect(await device.faultTexts()).toEqual([]);
  });

  test('says so where it cannot be saved for good', async () => {
    device.files.failingLate.set(SETTINGS_PATH, 'EIO');
    await expect(choose(LOW)).rejects.toThrow('the board stands there');
    device.files.failingLate.clear();
    expect(await choose(LOW)).toMatchObject({ mustRestart: true });
  });

  test('with a relay at a line of the UART on which the console is, is refused (I5)', async () => {
    const own = { ...device.onDisk(), console: { port: '/dev/serial0' } };
    device.stopAgent();
    device.files.texts.set(SETTINGS_PATH, JSON.stringify(own));
    await device.startAgent(100);
    await expect(choose({ ...LOW, board: { kind: 'gpio', lines: [5, 6, 7, 14] } })).rejects.toMatchObject(
      errorWith('out-of-range', 'console.port is the UART at the lines 14 and 15, and line 14 is in use'),
    );
    expect(device.onDisk()).toEqual(own);
  });

  test('that no guard could open is refused', async () => {
    const twice = { ...LOW, board: { kind: 'gpio', lines: [5, 6, 5, 8] } };
    await expect(choose(twice)).rejects.toMatchObject(errorWith('out-of-range', 'twice'));
  });
});
