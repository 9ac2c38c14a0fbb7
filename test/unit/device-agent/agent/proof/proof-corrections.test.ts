/** What the answers of a proof correct. */

import { beforeEach, describe, expect, test } from '@jest/globals';
import { HISTORY_PATH, PROOF_PATH, SETTINGS_PATH } from '../../../../support/device/agent-in-memory';
import { errorWith } from '../../../../support/device/error-with';
import { off, ProvingDevice } from './proving-device';

let world: ProvingDevice;

describe('a board in files', () => {
  beforeEach(async () => {
    world = await ProvingDevice.started({});
  });

  test('says which relay does not click, and changes nothing', async () => {
    world.device.board.answer = ({ line }) => (line === 2 ? { kind: 'failed', problem: 'gone' } : null);
    expect(await world.clicked(2)).toMatchObject({ code: 'refused' });
    const before = world.device.onDisk();
    await expect(world.say(off(1, 2, 0, 4))).rejects.toMatchObject(
      errorWith('refused', 'no relay clicked for output 2'),
    );
    expect(world.device.onDisk()).toEqual(before);
    expect(world.device.files.texts.has(PROOF_PATH)).toBe(false);
  });

  describe('of several wrong polarities', () => {
    const both = [1, 2, 3, 4].map((relay) => ({ relay, isOn: relay > 2 }));
    const levels = (): string[] =>
      world.device.onDisk().outputs.map(({ activeLevel }: { activeLevel: string }) => activeLevel);
    const inForce = (): string[] => world.guard.view().outputs.map(({ settings }) => settings.activeLevel);

    beforeEach(async () => {
      for (const numOutput of both.keys()) await world.clicked(numOutput);
    });

    test('makes one change: one entry line, one write, both in force', async () => {
      world.device.files.log.length = 0;
      expect(await world.say(both)).toMatchObject({ result: 'corrected', mustRestart: false });
      expect(world.device.files.log.filter((line) => /settings|history/.test(line))).toEqual([
        `append ${HISTORY_PATH}`,
        `replace ${SETTINGS_PATH}`,
      ]);
      expect(levels()).toEqual(['high', 'high', 'low', 'low']);
      expect(inForce()).toEqual(levels());
      expect(await world.device.historyEntries({ limit: 2 })).toMatchObject([
        { kind: 'output', numOutput: 2 },
        { kind: 'output', numOutput: 3 },
      ]);
    });

    test.each([
      ['cannot be saved', () => world.device.files.failing.set(SETTINGS_PATH, 'EIO')],
      ['is shown and not durable', () => world.device.files.failingLate.set(SETTINGS_PATH, 'EIO')],
      ['is refused for one of them, which is on', () => world.device.localRequest('set', { numOutput: 1, state: 1 })],
    ])('makes none of it where the change %s', async (_what, hinder) => {
      await hinder();
      const wrong = both.with(1, { relay: 2, isOn: true });
      await expect(world.say(wrong)).rejects.toMatchObject({
        code: expect.stringMatching(/^(refused|output-active)$/),
      });
      expect(levels()).toEqual(['high', 'high', 'high', 'high']);
      expect(inForce()).toEqual(levels());
    });

    test('makes none of it when the agent dies between the guard and the disk: the next one takes it back', async () => {
      world.device.files.slow.set(SETTINGS_PATH, new Promise(() => {}));
      void world.say(both).catch(() => {});
      await world.device.passed(50);
      expect(inForce()).toEqual(['high', 'high', 'low', 'low']);
      world.device.stopAgent();
      world.device.files.slow.clear();
      await world.device.startAgent(1_000);
      expect(levels()).toEqual(['high', 'high', 'high', 'high']);
      expect(inForce()).toEqual(levels());
    });
  });

  test('does not take answers about other settings than those in use', async () => {
    const { wiring } = await world.view();
    await world.device.changeOutput(3, { activeLevel: 'low' });
    await world.device.passed(100);
    await expect(world.say(off(1, 2, 3, 4), { wiring })).rejects.toThrow('begin the proof again');
  });
});

describe('a board with lines', () => {
  beforeEach(async () => {
    world = await ProvingDevice.started({ board: { kind: 'gpio', lines: [5, 6, 7, 8] }, requireProof: true });
  });

  test('has lines and polarities corrected by one write', async () => {
    world.device.files.log.length = 0;
    const answers = off(2, 1, 3, 4).with(3, { relay: 4, isOn: true });
    expect(await world.prove(answers)).toMatchObject({ result: 'corrected', mustRestart: true });
    expect(world.device.files.log.filter((line) => line.includes(SETTINGS_PATH))).toEqual([`replace ${SETTINGS_PATH}`]);
    const outputs = [{}, {}, {}, { activeLevel: 'low' }];
    expect(world.device.onDisk()).toMatchObject({ board: { lines: [6, 5, 7, 8] }, outputs });
    expect(await world.device.logged('settings')).toEqual([
      'output 0: line 5 -> 6 by a test',
      'output 1: line 6 -> 5 by a test',
      'output 3: activeLevel high -> low by a test',
    ]);
  });

  test('has them exchanged for the next start, which moves nothing and proves nothing', async () => {
    for (const numOutput of [0, 1, 2, 3]) await world.clicked(numOutput);
    const before = world.device.board.edges.length;
    expect(await world.say(off(2, 1, 3, 4))).toMatchObject({ result: 'corrected', mustRestart: true });
    expect(world.device.onDisk()).toMatchObject({ board: { kind: 'gpio', lines: [6, 5, 7, 8] }, requireProof: true });
    expect(world.device.board.edges).toHaveLength(before);
    expect(await world.remote('c1')).toMatchObject({ reason: 'not-proven' });
    expect(await world.clicked(0)).toMatchObject({ message: expect.stringContaining('restart') });
    await world.device.restartBoth(200);
    expect(await world.prove(off(1, 2, 3, 4))).toMatchObject({ result: 'proven' });
    expect(await world.remote('c2')).toMatchObject({ outcome: 'executed' });
  });

  test('that is chosen anew needs a proof of its own', async () => {
    await world.prove(off(1, 2, 3, 4));
    const board = { kind: 'gpio', lines: [5, 6, 8, 7] };
    await world.device.localRequest('board', { board, relays: ['A', 'B', 'C', 'D'], activeLevel: 'high' });
    await world.device.restartBoth(200);
    expect(await world.remote('c1')).toMatchObject({ reason: 'not-proven' });
  });
});
