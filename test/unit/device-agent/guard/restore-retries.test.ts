/** What is to be restored and fails: how often, and until when, it is tried again. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Level, OutputSettings } from '@relaygate/shared/device';
import { FakeBoard } from '../../../support/device/fake-board';
import {
  command,
  IMPULSE,
  JOURNAL,
  OFF,
  ON,
  ON_OFF,
  RESTORED,
  STATE,
  startGuard,
  type World,
} from '../../../support/device/guard-in-memory';

const FAILED = { kind: 'failed', problem: 'no power' } as const;

let world: World;
const unplug = () => world.board.unplug();
const plug = () => world.board.plug();
const states = () => world.guard.view().outputs.map(({ state }) => state);

describe('what is to be restored, and fails', () => {
  beforeEach(async () => {
    world = await startGuard([ON_OFF, RESTORED, IMPULSE, RESTORED]);
    for (const numOutput of [0, 1]) await world.guard.execute(command(world, numOutput, ON));
  });

  test('is brought on by a board that has brought it neither on nor off for a while', async () => {
    unplug();
    world.board.levels.fill('low');
    world.board.answer = ({ line }) => (line === 1 ? FAILED : null);
    plug();
    await world.clock.advance(60_000);
    expect(states()[1]).toBeNull();
    world.board.answer = () => null;
    await world.clock.advance(2_000);
    expect(states()[1]).toBe(1);
  });

  test('is brought on although a command was refused before its next try: that has moved nothing', async () => {
    const { clock, files } = world;
    const board = new FakeBoard(clock, 2);
    let left = 1;
    board.answer = ({ level }) => (level === 'high' && left-- > 0 ? FAILED : null);
    const slow = { ...RESTORED, minSwitchIntervalMs: 5_000 };
    world = await startGuard([ON_OFF, slow], { clock, files, board } as World);
    expect(await world.guard.execute(command(world, 1, ON))).toMatchObject({ reason: 'switched-too-soon' });
    await clock.advance(2_000);
    expect(states()).toEqual([0, 1]);
  });

  describe('and a command comes before its next try that moves nothing', () => {
    /** The output waits for its second try, and its board can be asked. */
    async function waiting(settings = RESTORED, other = ON_OFF): Promise<FakeBoard> {
      const { clock, files } = world;
      const board = new FakeBoard(clock, 2);
      let left = 1;
      board.answer = ({ level }) => (level === 'high' && left-- > 0 ? FAILED : null);
      world = await startGuard([other, settings], { clock, files, board } as World);
      expect(states()).toEqual([0, null]);
      return board;
    }

    test('because its time is over while the disk holds its record: it is brought on', async () => {
      await waiting();
      world.files.slow.set(JOURNAL, new Promise(() => {}));
      const answer = world.guard.execute(command(world, 1, ON));
      await world.clock.advance(5_000);
      expect(await answer).toMatchObject({ outcome: 'expired' });
      await world.clock.advance(2_000);
      expect(states()).toEqual([0, 1]);
    });

    test('because its order came too late at the board: it is brought on', async () => {
      const board = await waiting();
      board.answer = () => ({ kind: 'too-late' });
      expect(await world.guard.execute(command(world, 1, ON))).toMatchObject({ outcome: 'expired' });
      board.answer = () => null;
      await world.clock.advance(2_000);
      expect(states()).toEqual([0, 1]);
    });

    test('again and again: it is brought on at its time, although somebody goes on trying', async () => {
      const board = await waiting();
      board.readLine = async () => FAILED;
      for (let n = 0; n < 30; n += 1) {
        await world.guard.execute(command(world, 1, OFF));
        await world.clock.advance(100);
        if (states()[1] === 1) break;
      }
      expect(states()).toEqual([0, 1]);
      expect(board.edges.filter(({ line, level }) => line === 1 && level === 'high')).toHaveLength(1);
    });

    test('and is still at work when its next try is due: it is brought on right after', async () => {
      const board = await waiting();
      let fail = (): void => {};
      board.readLine = () => new Promise((resolve) => (fail = () => resolve(FAILED)));
      const startBeforeMs = world.clock.nowMs() + 5_000;
      const off = world.guard.execute({ ...command(world, 1, OFF), startBeforeMs });
      await world.clock.advance(1_500);
      board.readLine = async () => FAILED;
      fail();
      expect(await off).toMatchObject({ reason: 'board-failed' });
      await world.clock.advance(10);
      expect(states()).toEqual([0, 1]);
    });

    test('no other output of its interlock goes on meanwhile', async () => {
      const gate = { interlock: 'gate', interlockDelayMs: 0 };
      const board = await waiting({ ...RESTORED, ...gate }, { ...ON_OFF, ...gate });
      let fail = (): void => {};
      board.readLine = () => new Promise((resolve) => (fail = () => resolve(FAILED)));
      const off = world.guard.execute(command(world, 1, OFF));
      await world.clock.advance(1);
      expect(await world.guard.execute(command(world, 0, ON))).toMatchObject({ reason: 'interlocked' });
      fail();
      expect(await off).toMatchObject({ reason: 'board-failed' });
      await world.clock.advance(2_000);
      expect(states()).toEqual([0, 1]);
    });

    test('because the board cannot say how its relay is: it is brought on', async () => {
      const board = await waiting();
      board.readLine = async () => FAILED;
      expect(await world.guard.execute(command(world, 1, OFF))).toMatchObject({ reason: 'board-failed' });
      await world.clock.advance(2_000);
      expect(states()).toEqual([0, 1]);
    });
  });

  describe('and whose policy becomes another meanwhile', () => {
    const become = (powerOn: OutputSettings['powerOn']): Promise<void> =>
      world.guard.configure([{ numOutput: 1, settings: { ...RESTORED, powerOn } }], false);
    const isFailing = (...levels: Level[]): void => {
      world.board.answer = ({ line, level }) => (line === 1 && levels.includes(level) ? FAILED : null);
    };

    test.each([
      ['while its relay is stuck', ['high', 'low'], 50],
      ['before its next try', ['high'], 500],
    ] as const)('is not tried again: %s (I5)', async (_when, levels, atMs) => {
      unplug();
      world.board.levels.fill('low');
      isFailing(...levels);
      plug();
      await world.clock.advance(atMs);
      await become('on');
      isFailing();
      await world.clock.advance(10_000);
      expect(states()[1]).toBe(0);
      expect(world.board.levels[1]).toBe('low');
      expect(await world.guard.execute(command(world, 1, ON))).toMatchObject({ outcome: 'executed' });
    });

    test('is forgotten too when that policy comes again (I5)', async () => {
      unplug();
      await become('off');
      await become('restore');
      plug();
      await world.clock.advance(10_000);
      expect(world.board.levels[1]).toBe('low');
    });

    test('has only the rest of its time where the order in hand still brings it on (I4)', async () => {
      const capped = { ...RESTORED, maxOnMs: 10_000 };
      await world.guard.configure([{ numOutput: 1, settings: capped }], false);
      unplug();
      world.board.levels.fill('low');
      const finish = world.board.hold('high');
      plug();
      const onMs = world.clock.nowMs();
      await world.clock.advance(500);
      await world.guard.configure([{ numOutput: 1, settings: { ...capped, powerOn: 'on' } }], false);
      finish();
      await world.clock.advance(1);
      expect(states()[1]).toBe(1);
      await world.clock.advance(onMs + 10_000 - world.clock.nowMs());
      expect(world.board.levels[1]).toBe('low');
    });

    test('is put off in its turn, which it no longer waits for (I5)', async () => {
      const { clock, files } = world;
      const board = new FakeBoard(clock, 2);
      board.levels[1] = 'high';
      const locked = { ...RESTORED, interlock: 'gate', interlockDelayMs: 2_000 };
      world = await startGuard([{ ...ON_OFF, interlock: 'gate' }, locked], { clock, files, board } as World);
      await clock.advance(500);
      expect(states()[1]).toBeNull();
      await world.guard.configure([{ numOutput: 1, settings: { ...locked, powerOn: 'off' } }], false);
      await clock.advance(10_000);
      expect(states()).toEqual([0, 0]);
      expect(board.edges.filter(({ level }) => level === 'high')).toEqual([]);
      expect(board.levels[1]).toBe('low');
    });
  });

  test('is not brought on, and not remembered, where "on" was to bring it on and becomes "restore" meanwhile (I5)', async () => {
    const { clock } = world;
    const locked = { ...RESTORED, interlock: 'gate', interlockDelayMs: 2_000 };
    const board = new FakeBoard(clock, 2);
    const starting: OutputSettings[] = [
      { ...ON_OFF, interlock: 'gate' },
      { ...locked, powerOn: 'on' },
    ];
    world = await startGuard(starting, { clock, board } as World);
    await clock.advance(500);
    expect(states()[1]).toBeNull();
    await world.guard.configure([{ numOutput: 1, settings: locked }], false);
    await clock.advance(10_000);
    expect(states()).toEqual([0, 0]);
    expect(board.edges.filter(({ level }) => level === 'high')).toEqual([]);
    expect(JSON.parse(world.files.texts.get(STATE) ?? '')).toMatchObject({ active: { 1: false } });
  });

  test('is not brought on any more by a guard that stops before the next try', async () => {
    unplug();
    world.board.answer = ({ level }) => (level === 'high' ? FAILED : null);
    plug();
    await world.clock.advance(500);
    world.board.answer = () => null;
    await world.guard.stop();
    await world.clock.advance(10_000);
    expect(world.board.levels).toEqual(['low', 'low', 'low', 'low']);
  });

  test('is not tried without end, and kept for the next time', async () => {
    unplug();
    world.board.levels.fill('low');
    world.board.answer = ({ level }) => (level === 'high' ? FAILED : null);
    const before = world.board.orders.length;
    plug();
    await world.clock.advance(60_000);
    expect(states()).toEqual([0, 0, 0, 0]);
    expect(world.board.orders.slice(before).filter(({ level }) => level === 'high')).toHaveLength(3);
    const { clock, files } = world;
    world = await startGuard([ON_OFF, RESTORED, IMPULSE, RESTORED], {
      clock,
      files,
      board: new FakeBoard(clock, 4),
    } as World);
    expect(states()[1]).toBe(1);
  });
});
